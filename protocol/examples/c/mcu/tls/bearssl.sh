#!/bin/sh
# Fetches the source of BearSSL, a library for TLS under the MIT licence, as Debian has it, into the folder DIR.
# The project has no copy of it. It uses the package sources of this machine, and installs nothing.
#   ./bearssl.sh DIR
set -eu
[ $# = 1 ] || { echo "usage: $0 DIR" >&2; exit 2; }
mkdir -p "$1"
cd "$1"
[ ! -e inc/bearssl.h ] || exit 0
mkdir -p apt/lists/partial
# The entries of this machine, for sources in place of packages.
cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed 's/^Types:.*/Types: deb-src/' >apt/from.sources
sed -n 's/^deb /deb-src /p' /etc/apt/sources.list /etc/apt/sources.list.d/*.list >apt/from.list 2>/dev/null || true
list=apt/from.sources
[ -s "$list" ] || list=apt/from.list
apt="-q -o Dir::Etc::sourceparts=- -o Dir::Etc::sourcelist=$PWD/$list -o Dir::State::lists=$PWD/apt/lists"
apt="$apt -o APT::Sandbox::User=root"
apt-get $apt update || true
apt-get $apt source --download-only bearssl
tar xf bearssl_*.orig.tar.* --strip-components=1
rm -r apt bearssl_*
