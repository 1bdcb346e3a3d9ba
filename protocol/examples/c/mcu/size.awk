# Sums the sections of `size -A`: see boards/mps2/mps2.ld.
{ bytes[$1] = $2 }
END {
  printf "flash: code and constants %d, initial values %d, together %d\n", \
    bytes[".text"] + bytes[".ARM.exidx"], bytes[".data"], bytes[".text"] + bytes[".ARM.exidx"] + bytes[".data"]
  printf "memory: variables %d, stack %d, together %d\n", \
    bytes[".data"] + bytes[".bss"] + bytes[".kept"], bytes[".stack"], \
    bytes[".data"] + bytes[".bss"] + bytes[".kept"] + bytes[".stack"]
  printf "not counted: what stands for hardware, %d of code and %d of memory\n", bytes[".stand_in"], bytes[".hardware"]
}
