# Adds up the stack along the deepest chain of calls, from the .ci files of gcc -fcallgraph-info=su.
# What is not the core's own (crypto, string functions, the world) counts as nothing.

function field(line, name) {
  sub(".*" name ": \"", "", line)
  sub("\".*", "", line)
  return line
}

function deepest(caller,    i, most, depth, callees, count) {
  if (!(caller in bytes)) return 0
  if (caller in known) return known[caller]
  if (caller in under_way) {
    print "not bounded, calls itself: " caller
    exit 1
  }
  under_way[caller] = 1
  count = split(calls[caller], callees, " ")
  for (i = 1; i <= count; i++) {
    depth = deepest(callees[i])
    if (depth > most) {
      most = depth
      next_of[caller] = callees[i]
    }
  }
  return known[caller] = bytes[caller] + most
}

/^node:/ && match($0, /[0-9]+ bytes \([a-z,]*\)/) {
  bytes[field($0, "title")] = substr($0, RSTART) + 0
  if ($0 ~ /\(dynamic\)/) print "not bounded, depends on its input: " field($0, "title")
}
/^edge:/ { calls[field($0, "sourcename")] = calls[field($0, "sourcename")] " " field($0, "targetname") }
# The calls by pointer: a command to the function that obeys it, and `keep` with the store of the core.
/^node:/ && /title: "sb1_obey_/ { calls["sb1_receive"] = calls["sb1_receive"] " " field($0, "title") }
/^node:/ && /title: "sb1_write_memory"/ { calls["sb1_keep"] = calls["sb1_keep"] " sb1_write_memory" }

END {
  for (caller in bytes)
    if (deepest(caller) > deepest(root)) root = caller
  printf "deepest stack: %d bytes\n", deepest(root)
  for (caller = root; caller != ""; caller = next_of[caller]) printf "  %4d %s\n", bytes[caller], caller
}
