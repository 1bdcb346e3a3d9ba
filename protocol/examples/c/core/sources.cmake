# SPDX-License-Identifier: MIT
# The files and options of the core, for each build with CMake: plain, ESP-IDF and Zephyr.

get_filename_component(SB1_HOME ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(SB1_INCLUDE ${SB1_HOME}/include)
set(SB1_SOURCES
  ${SB1_HOME}/core/acks.c
  ${SB1_HOME}/core/clips.c
  ${SB1_HOME}/core/frame.c
  ${SB1_HOME}/core/json.c
  ${SB1_HOME}/core/json_text.c
  ${SB1_HOME}/core/keys.c
  ${SB1_HOME}/core/memory.c
  ${SB1_HOME}/core/ram_keys.c
  ${SB1_HOME}/core/receive.c
  ${SB1_HOME}/core/report.c
  ${SB1_HOME}/core/screens.c
  ${SB1_HOME}/core/session.c
  ${SB1_HOME}/core/sounds.c
  ${SB1_HOME}/core/store.c
  ${SB1_HOME}/core/text.c
  ${SB1_HOME}/core/update.c)

# The macros of the variables <prefix>SCREEN, <prefix>RX_BYTES and so on. A size of 0 is the default of sb1.h.
function(sb1_definitions result prefix)
  set(definitions "")
  foreach(part SCREEN QR UPDATE REKEY)
    if(NOT ${prefix}${part})
      list(APPEND definitions SB1_NO_${part})
    endif()
  endforeach()
  foreach(size RX_BYTES SOUNDS ACKS HANDLE_BYTES)
    if(${prefix}${size})
      list(APPEND definitions SB1_${size}=${${prefix}${size}})
    endif()
  endforeach()
  set(${result} ${definitions} PARENT_SCOPE)
endfunction()
