import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'

/** What a file of the kernel holds. */
export function text(path: string): string {
  return readFileSync(path, 'utf8').trim()
}

/** Tells the simulated hardware what to do next. */
export function steer(parameter: string, value: string | number): void {
  writeFileSync(`/sys/module/hwsim/parameters/${parameter}`, String(value))
}

/** Makes a folder of configfs, which makes a device. */
export function configure(path: string, files: Record<string, string | number> = {}): void {
  mkdirSync(path, { recursive: true })
  for (const [name, value] of Object.entries(files)) writeFileSync(`${path}/${name}`, String(value))
}
