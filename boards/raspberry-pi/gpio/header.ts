/**
 * The 40-pin header, the same on the Raspberry Pi Zero, Zero 2, 2, 3, 4, 5, 400 and 500. A number is the line's number on
 * its controller (BCM number), a text what the pin is wired to.
 */
const positions: readonly (number | string)[] = [
  ...['3.3 V', '5 V', 2, '5 V', 3, 'ground', 4, 14, 'ground', 15],
  ...[17, 18, 27, 'ground', 22, 23, '3.3 V', 24, 10, 'ground'],
  ...[9, 25, 11, 8, 'ground', 7, 0, 1, 5, 'ground'],
  ...[6, 12, 13, 'ground', 19, 16, 26, 20, 'ground', 21],
]

/** What a position of the header, 1 to 40, is: the number of a line, or a text such as `ground`. Undefined beyond. */
export function atHeader(position: number): number | string | undefined {
  return positions[position - 1]
}

/** Where a line comes out on the header: 17 at position 11. Undefined when it does not. */
export function positionOf(line: number): number | undefined {
  const index = positions.indexOf(line)
  return index < 0 ? undefined : index + 1
}

/** What messages call a line of the header: `GPIO17 (pin 11)`. */
export function lineTitle(line: number): string {
  const position = positionOf(line)
  return position === undefined ? `GPIO${line}` : `GPIO${line} (pin ${position})`
}

/** The labels of the controllers whose lines are the header's: BCM2835 to BCM2837, BCM2711, and RP1 on a Pi 5. */
export const headerLabels: readonly string[] = ['pinctrl-bcm2835', 'pinctrl-bcm2711', 'pinctrl-rp1']
