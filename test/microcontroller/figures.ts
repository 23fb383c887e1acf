// Prints what the firmware takes of the chip, and of its time: npx tsx test/microcontroller/figures.ts
import { ChipRig } from './chip-rig.ts'
import { avrGccVersion, buildFirmware, sizeOf } from './firmware-size.ts'
import { latencyOf } from './latency.ts'

async function latencies(): Promise<void> {
  console.log('from the last byte of a question to the first of its answer, in ms of the chip: median, longest')
  for (const question of ['ping', 'call', 'read', 'stop'] as const) {
    const { median, longest } = await latencyOf(question, 200)
    console.log(`  ${question}: ${median.toFixed(2)}, ${longest.toFixed(2)}`)
  }
}

async function life(): Promise<void> {
  const rig = await ChipRig.start('greenhouse')
  const share = async (what: string, work: () => Promise<unknown>) => {
    const { awakeCycles, cycles } = rig.chip
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    const seconds = (rig.chip.cycles - cycles) / rig.chip.hz
    const awake = (rig.chip.awakeCycles - awakeCycles) / (rig.chip.cycles - cycles)
    const core = (user + system) / 1e6 / seconds
    console.log(`  ${what}: awake ${percent(awake)} of the time; emulating it takes ${percent(core)} of a core`)
  }
  console.log('the chip')
  await share('while it describes itself', () => rig.settle(rig.host.describe()))
  await share('with nothing to do', () => rig.pass(10_000))
  for (let sensor = 0; sensor < 7; sensor++) rig.host.watch(sensor, () => {})
  await share('while all sensors are watched', () => rig.pass(10_000))
  console.log(`  bytes of memory that were never touched: ${rig.chip.untouchedBytes} of 2048`)
}

function sizes(): void {
  const version = avrGccVersion()
  if (version === undefined) return console.log('no avr-gcc, no sizes')
  console.log(`bytes, by avr-gcc ${version}: flash, RAM without stack`)
  const built = buildFirmware()
  for (const name of ['greenhouse', 'minimal']) {
    const { flash, ram } = sizeOf(built.file(`${name}.elf`))
    console.log(`  ${name}: ${flash}, ${ram}`)
  }
  built.remove()
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}

sizes()
await latencies()
await life()
