#!/usr/bin/env bash
# Builds the kernel that npm run test:kernel boots: User-Mode Linux from Debian's linux-source-6.1, with hwsim. It takes
# some 13 minutes of one processor and 2 GB of disk, once; what is kept is 7 MB.
#
# usage: build.sh FOLDER    FOLDER gets linux, i2c-stub.ko and hwsim.ko
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$1
source=/usr/src/linux-source-6.1.tar.xz

missing=()
[ -f "$source" ] || missing+=(linux-source-6.1)
for tool in flex bison bc gcc make xz; do command -v "$tool" >/dev/null || missing+=("${tool/#xz/xz-utils}"); done
[ -f /usr/include/libelf.h ] || missing+=(libelf-dev)
[ -f /usr/include/openssl/ssl.h ] || missing+=(libssl-dev)
if [ ${#missing[@]} -gt 0 ]; then
  echo "The kernel of these tests is built from Debian's source. Install it first:" >&2
  echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xJf "$source" -C "$work"
cp -r "$here/hwsim" "$work/hwsim"
mkdir "$work/built"
cd "$work/linux-source-6.1"
# From the defconfig on with 64 bits: allnoconfig begins with 32 and then trips over what it has generated.
um=(make -s ARCH=um SUBARCH=x86_64 "O=$work/built")
"${um[@]}" x86_64_defconfig
(cd "$work/built" && "$work/linux-source-6.1/scripts/kconfig/merge_config.sh" -m -O . .config "$here/uml.config") >/dev/null
"${um[@]}" olddefconfig
"${um[@]}" "-j$(nproc)" linux modules
"${um[@]}" "M=$work/hwsim" modules

mkdir -p "$out"
cp "$work/hwsim/hwsim.ko" "$out/"
find "$work/built" -name i2c-stub.ko -exec cp {} "$out/" \;
strip -o "$out/linux.part" "$work/built/linux"
# Last of all: with it the folder is complete.
mv "$out/linux.part" "$out/linux"
