"""Evaluates a Kconfig as Zephyr and ESP-IDF do, and prints its configuration for CMake.

kconfig.py KCONFIG SYMBOL=VALUE...
"""

import sys

import kconfiglib

config = kconfiglib.Kconfig(sys.argv[1], suppress_traceback=True)
for given in sys.argv[2:]:
    name, value = given.split("=")
    config.syms[name].set_value(value)
for symbol in config.unique_defined_syms:
    # As in `.config`: a bool that is off is not set at all.
    if symbol.str_value not in ("", "n"):
        print(f"set(CONFIG_{symbol.name} {symbol.str_value})")
if config.warnings:
    sys.exit("\n".join(config.warnings))
