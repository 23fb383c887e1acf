import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Failure } from '../bin/failure.ts'
import { type ReportOptions, report } from '../bin/scan/index.ts'
import { nothingText } from '../bin/scan/text.ts'
import { isEmpty, scan } from '../boards/raspberry-pi/scan/index.ts'
import { projectDir } from './child.ts'
import { BH1750Model } from './parts/models/bh1750-model.ts'
import { BME280Model } from './parts/models/bme280-model.ts'
import { JumpingClock } from './parts/models/jumping-clock.ts'
import { headerBus, WiredPi, type WiredPiOptions } from './raspberry-pi/wired-pi.ts'

function ferrule(...words: string[]) {
  const args = ['--import', 'tsx', 'bin/ferrule.ts', ...words]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: projectDir, encoding: 'utf8' })
  return { status, stdout, stderr }
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'ferrule-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

const clock = new JumpingClock()
const cpu = {
  'sys/class/thermal/thermal_zone0/type': 'cpu-thermal\n',
  'sys/class/thermal/thermal_zone0/temp': '48312\n',
}

/** What is printed of a fake Raspberry Pi. */
async function reported(pi: WiredPiOptions, options: Partial<ReportOptions> = {}) {
  let text = ''
  const found = await scan({ ...new WiredPi(pi).options, clock })
  const code = report(found, {
    ...options,
    print: part => {
      text += part
    },
  })
  return { code, text }
}

describe('ferrule scan', () => {
  it('on this computer: says what it found, or that there is nothing and what goes without', async () => {
    const { status, stdout, stderr } = ferrule('scan')
    expect(stderr).toBe('')
    if (isEmpty(await scan())) {
      expect(stdout).toBe(nothingText(process.platform))
      expect(status).toBe(1)
    } else expect(stdout).toContain('\n\n')
  })

  it('as JSON', () => {
    const { stdout, stderr } = ferrule('scan', '--json')
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({ quantities: expect.any(Array), sensors: expect.any(Object) })
  })

  it.each([
    [['--force'], '--force belongs to --write FILE'],
    [['--write', 'board.yaml'], 'the name of a board file ends in .json'],
    [['--write', 'no/such/board.json'], 'there is no folder'],
    [['--bus', 'one'], '--bus is the number of an I2C bus, such as 1, not one'],
  ])('%j is wrong use', (words, message) => {
    const { status, stderr } = ferrule('scan', ...words)
    expect(stderr).toContain(message)
    expect(status).toBe(2)
  })

  it('a file that is there is not overwritten', () => {
    const file = join(folder(), 'board.json')
    writeFileSync(file, 'mine')
    const { status, stderr } = ferrule('scan', '--write', file)
    expect(stderr).toContain('is there already: name another file, or have it overwritten with --force')
    expect(status).toBe(1)
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })
})

describe('what is printed', () => {
  const buses = { 1: { name: headerBus, chips: [new BME280Model(clock), new BH1750Model(clock, 1)] } }

  it('what was found with its reading and its name, what is unsure, what is off, the pins, what is next', async () => {
    const { code, text } = await reported({ buses, files: cpu })
    expect(code).toBe(0)
    const lines = text.split('\n')
    expect(lines[0]).toBe('Raspberry Pi 4 Model B Rev 1.4')
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}0x76 on i2c-1 +BME280: .* air$/))
    expect(lines).toContainEqual(
      expect.stringMatching(/^ {2}cpu-thermal +temperature of the processor +48\.3 °C +cpu$/),
    )
    expect(lines).toContainEqual(
      '  0x23 on i2c-1  BH1750 (light), PCF8574 (8 pins, or a display of letters) or MCP23017 (16 pins)',
    )
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}SPI .* sudo raspi-config nonint do_spi 0$/))
    expect(lines).toContainEqual('Pins: 24 of 28 are free')
    expect(lines).toContainEqual('  GPIO4 to GPIO27')
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}ferrule scan --write board\.json/))
    // Nothing of colours, and nothing that ends in a space.
    expect(lines.filter(line => /\x1b| $/.test(line))).toEqual([])
  })

  it('for one who has just soldered a BME280, with I2C off and without the groups', async () => {
    // The fake devices are of the group of this process.
    const groups = `gpio:x:${process.getgid?.()}:\ni2c:x:994:\nspi:x:993:\n`
    const { code, text } = await reported({ files: { 'etc/group': groups }, closed: ['gpiochip0'] })
    expect(code).toBe(1)
    expect(text).toBe(
      [
        'Raspberry Pi 4 Model B Rev 1.4',
        '',
        'To do',
        '  groups   pi is not in the groups gpio, i2c, spi',
        '           → sudo usermod -aG gpio,i2c,spi pi',
        '           → log out and in again, or restart',
        '',
        'Off, so what is wired there is not found. Switch on what you need, then restart: sudo reboot',
        '  I2C     pins 3 and 5    sudo raspi-config nonint do_i2c 0',
        '  1-Wire  pin 7           sudo raspi-config nonint do_onewire 0',
        '  SPI     pins 19 to 26   sudo raspi-config nonint do_spi 0',
        '  PWM     pins 12 and 35  add to /boot/firmware/config.txt: dtoverlay=pwm-2chan',
        '  UART    pins 8 and 10   sudo raspi-config nonint do_serial_hw 0',
        '',
      ].join('\n'),
    )
  })

  it('for one whose BME280 does not answer: what to check', async () => {
    const { text } = await reported({ buses: { 1: { name: headerBus } } })
    expect(text).toContain(
      'nobody answers. Should somebody? Check 3.3 V (pin 1), SDA (pin 3), SCL (pin 5), ground (pin 6)',
    )
  })

  it('names from elsewhere steer no terminal', async () => {
    const { text } = await reported({ buses: { 1: { name: 'bus\x1b[31m' } } })
    expect(text).not.toContain('\x1b')
  })

  it('as JSON: addresses as people write them, parts by their names', async () => {
    const { text } = await reported({ buses, files: cpu }, { json: true })
    expect(JSON.parse(text)).toMatchObject({
      model: 'Raspberry Pi 4 Model B Rev 1.4',
      i2c: [
        {
          number: 1,
          chips: [
            { address: '0x23', maybe: ['BH1750', 'PCF8574', 'MCP23017'] },
            { address: '0x76', part: 'BME280' },
          ],
        },
      ],
      sensors: { air: { driver: 'bme280', address: '0x76' }, cpu: { driver: 'thermal-zone', type: 'cpu-thermal' } },
    })
  })
})

describe('the board file', () => {
  const buses = { 1: { name: headerBus, chips: [new BME280Model(clock)] } }

  it('has the sensors, an entry a line, and a name of its own; what is to be pasted is printed', async () => {
    const file = join(folder(), 'seed-tray.json')
    const { text } = await reported({ buses, files: cpu }, { file })
    expect(readFileSync(file, 'utf8')).toBe(
      [
        '{',
        '  "name": "seed-tray",',
        '  "sensors": {',
        '    "air": { "driver": "bme280", "address": "0x76" },',
        '    "cpu": { "driver": "thermal-zone", "type": "cpu-thermal" }',
        '  },',
        '  "actuators": {}',
        '}',
        '',
      ].join('\n'),
    )
    expect(text).toContain(
      '"pump": { "driver": "relay", "pin": "GPIO17", "activeLow": true, "holdForMs": 30000, "title": "Pump" }',
    )
    expect(text).toContain(`${file} is written, with 2 sensors`)
  })

  it('is not written when there is nothing to stand in it', async () => {
    const file = join(folder(), 'board.json')
    await expect(reported({}, { file })).rejects.toThrow(Failure)
    expect(existsSync(file)).toBe(false)
  })

  it('is overwritten only when that was said', async () => {
    const file = join(folder(), 'board.json')
    writeFileSync(file, 'mine')
    await expect(reported({ files: cpu }, { file })).rejects.toThrow('EEXIST')
    await reported({ files: cpu }, { file, force: true })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ sensors: { cpu: { driver: 'thermal-zone' } } })
  })
})

describe('serve, try and host with @raspberry-pi', () => {
  it('without hardware: what is missing, and what goes without', async () => {
    if (!isEmpty(await scan())) return
    for (const words of [['serve'], ['try', '--once']]) {
      const { status, stdout, stderr } = ferrule(...words, '@raspberry-pi', '--output', 'GPIO17')
      expect(stdout + stderr).toContain('@raspberry-pi is the board that this computer is, and nothing is here')
      expect(stdout + stderr).toContain('"ferrule serve @raspberry-pi --simulate"')
      expect(status).toBe(1)
    }
  })

  it('pins belong to it alone', () => {
    for (const words of [
      ['serve', '@greenhouse'],
      ['try', '@greenhouse', '--once'],
      ['host', 'cursor', '@greenhouse'],
    ]) {
      const { status, stderr } = ferrule(...words, '--input', 'GPIO4')
      expect(stderr).toContain('--input belongs to @raspberry-pi')
      expect(status).toBe(2)
    }
  })

  it('a service is for a file, which is the same after each start', () => {
    const { stderr } = ferrule('service', '@raspberry-pi')
    expect(stderr).toContain('ferrule scan --write board.json')
  })

  it('the entry of a host names the pins again', () => {
    const words = ['host', 'cursor', '@raspberry-pi', '--input', 'GPIO23', '--output', 'GPIO17', '--simulate']
    const { stdout } = ferrule(...words)
    const [, ...args] = JSON.parse(stdout).mcpServers['raspberry-pi'].args
    expect(args).toEqual([
      ...['serve', '@raspberry-pi', '--read-sensors', '--simulate'],
      ...['--input', 'GPIO23', '--output', 'GPIO17'],
    ])
  })
})
