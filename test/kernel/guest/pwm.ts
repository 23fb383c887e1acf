import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { pwm } from '../../../boards/raspberry-pi/index.ts'
import { text } from './rig/files.ts'

const controller = '/sys/class/pwm/pwmchip0'
const state = (channel: number) =>
  ['period', 'duty_cycle', 'enable', 'polarity'].map(file => text(`${controller}/pwm${channel}/${file}`)).join(' ')

describe('PWM, through the kernel', () => {
  test('a fresh channel', async () => {
    const servo = await pwm({ chip: 'hwsim', channel: 1, hz: 50, initial: 0.075 })
    assert.equal(state(1), '20000000 1500000 1 normal')
    servo.write(0.1)
    assert.equal(state(1), '20000000 2000000 1 normal')
    servo.close()
    assert.equal(state(1), '20000000 1500000 1 normal')
  })

  test('a channel that was left on, with a longer duty than the new period', async () => {
    writeFileSync(`${controller}/export`, '2')
    for (const [file, value] of Object.entries({ period: 20_000_000, duty_cycle: 19_000_000, enable: 1 })) {
      writeFileSync(`${controller}/pwm2/${file}`, String(value))
    }
    const fan = await pwm({ chip: 'pwmchip0', channel: 2, hz: 25_000 })
    assert.equal(state(2), '40000 0 1 normal')
    fan.write(1)
    assert.equal(state(2), '40000 40000 1 normal')
    fan.close()
    assert.equal(existsSync(`${controller}/pwm2`), false)
  })

  test('a channel that is not there', async () => {
    await assert.rejects(pwm({ chip: 'hwsim', channel: 4 }), /channel 4 of hwsim has no such channel/)
    await assert.rejects(pwm({ pin: 'GPIO18' }), /has no PWM controller; there is pwmchip0 \(hwsim/)
  })
})
