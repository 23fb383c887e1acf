#!/bin/sh
# Builds the firmwares: NAME.elf and NAME.hex into the folder that is given, or beside the sources.
# Needs gcc-avr, binutils-avr and avr-libc. The same compiler makes the same bytes, wherever it runs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
into=$(mkdir -p "${1:-$here}" && cd "${1:-$here}" && pwd)
cd "$here"
# smallest.flags is what avr-gcc 5.4 makes the fewest bytes with: found by trying, one at a time.
for name in greenhouse minimal safety; do
  avr-gcc -std=c99 -Wall -Wextra -Werror @smallest.flags -mmcu=atmega328p -DF_CPU=16000000UL \
    -ffunction-sections -fdata-sections -Wl,--gc-sections -I../src \
    -o "$into/$name.elf" "$name.c" chip.c ../src/ferrule/*.c
  avr-objcopy -O ihex -R .eeprom "$into/$name.elf" "$into/$name.hex"
done
