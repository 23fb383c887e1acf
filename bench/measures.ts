import { atMost, type Measure, ofFloor, overFloor } from './figures.ts'

/** The rows of the comparison, in the order in which they are shown, with what Ferrule promises. */
export const measures = {
  startCpu: { name: 'cold start to the first answer, CPU', unit: 'ms', digits: 0, target: ofFloor(1.15) },
  startModernCpu: { name: 'the same, modern era (server/discover)', unit: 'ms', digits: 0, target: ofFloor(1.15) },
  startNamedCpu: { name: 'cold start, package found by its name, CPU', unit: 'ms', digits: 0, target: ofFloor(1.15) },
  startFirstCpu: { name: 'the first start, when no code is kept', unit: 'ms', digits: 0 },
  startWall: { name: 'cold start to the first answer, wall', unit: 'ms', digits: 0 },
  legacy64: { name: 'CPU per call, 64 in flight, handshake era', unit: 'µs', digits: 1, target: ofFloor(0.5) },
  modern64: { name: 'CPU per call, 64 in flight, modern era', unit: 'µs', digits: 1, target: ofFloor(0.55) },
  legacy1: { name: 'CPU per call, one in flight, handshake era', unit: 'µs', digits: 1, target: ofFloor(0.8) },
  modern1: { name: 'CPU per call, one in flight, modern era', unit: 'µs', digits: 1, target: ofFloor(0.8) },
  heapLegacy64: { name: 'heap per call, 64 in flight, handshake era', unit: 'B', digits: 0, target: atMost(800, 'B') },
  heapModern64: { name: 'heap per call, 64 in flight, modern era', unit: 'B', digits: 0, target: atMost(1200, 'B') },
  heapLegacy1: { name: 'heap per call, one in flight, handshake era', unit: 'B', digits: 0, target: atMost(1100, 'B') },
  heapModern1: { name: 'heap per call, one in flight, modern era', unit: 'B', digits: 0, target: atMost(1100, 'B') },
  anonymous: { name: 'anonymous memory at rest', unit: 'MiB', digits: 2, target: atMost(7, 'MiB') },
  anonymousNamed: { name: 'the same, package found by its name', unit: 'MiB', digits: 2, target: atMost(7, 'MiB') },
  resident: { name: 'resident at rest', unit: 'MiB', digits: 1 },
  residentAfter: { name: 'resident after 100,000 calls', unit: 'MiB', digits: 1, target: overFloor(5, 'MiB') },
  longLine: { name: 'one line of 10 MB, CPU', unit: 'ms', digits: 0, target: ofFloor(1) },
  bytewise64: { name: '64 kB in 1-byte writes, CPU', unit: 'ms', digits: 0, target: ofFloor(1) },
  bytewise256: { name: '256 kB in 1-byte writes, CPU', unit: 'ms', digits: 0, target: ofFloor(1) },
  packages: { name: 'packages installed', unit: '', digits: 0, isCount: true, target: atMost(3, '') },
  installed: { name: 'installed, everything', unit: 'MiB', digits: 2, isCount: true },
  core: { name: 'installed, for a server over stdio', unit: 'MiB', digits: 2, isCount: true, target: atMost(1, 'MiB') },
  modules: { name: 'modules read at start', unit: '', digits: 0, isCount: true, target: atMost(3, '') },
} satisfies Record<string, Measure>

/** A row of the comparison. */
export type MeasureName = keyof typeof measures
