import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { greenhouse, linkFirmware } from '../../bridge/firmware.ts'
import { ferrule, listedPorts, ownFolders, startFerrule } from './rig/ferrule.ts'
import { properties, settle, startUdev, udevadm } from './rig/udev.ts'
import { UsbBoard } from './rig/usb-board.ts'

const nobody = 65534

/**
 * A command that runs what follows it as a user who is in no group but these. Reading files is all that it may do beyond
 * that, since the project may lie where only its owner can read.
 */
function asNobody(...groups: string[]): string[] {
  const who = [`--reuid=${nobody}`, `--regid=${nobody}`, groups.length > 0 ? `--groups=${groups}` : '--clear-groups']
  return ['setpriv', ...who, '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search']
}

/** Folders of a user. */
function foldersOfNobody(): Record<string, string> {
  const folders = ownFolders()
  execFileSync('chown', [String(nobody), ...new Set(Object.values(folders))])
  return folders
}

describe('who may use a board on USB', () => {
  let board: UsbBoard
  let port: string
  let dialout: string
  before(async () => {
    startUdev()
    dialout = execFileSync('getent', ['group', 'dialout'], { encoding: 'utf8' }).split(':')[2]!
    board = new UsbBoard({
      ...{ vendorId: '2341', productId: '0043', serialNumber: 'U1', maker: 'Arduino (www.arduino.cc)' },
      firmware: linkFirmware(greenhouse()),
    })
    port = await board.plug()
    settle()
  })
  after(() => board.remove())

  test('udev gives it to a group', () => {
    const { mode, gid } = statSync(port)
    assert.deepEqual([(mode & 0o777).toString(8), String(gid)], ['660', dialout])
  })

  const denied = /no permission to open \/dev\/ttyACM\d+: it belongs to group dialout with mode crw-rw----/

  test('a user who is not in it hears from the bridge that it is so, and what to do', async t => {
    const bridge = startFerrule(t, ['bridge', '--port', port], foldersOfNobody(), asNobody())
    await bridge.initialize()
    await bridge.tells('no permission')
    assert.match(bridge.stderr, denied)
    assert.match(bridge.stderr, /sudo usermod -aG dialout \S+, then log out|--group-add \d+/)
  })

  test('the doctor says so too', async t => {
    const { code, stdout } = await ferrule(t, ['doctor', port], foldersOfNobody(), asNobody())
    assert.match(stdout, /^FAIL +permission +no permission to open/m)
    assert.equal(code, 1)
  })

  test('it is listed for everybody', async t => {
    const { stdout } = await ferrule(t, ['ports'], foldersOfNobody(), asNobody())
    assert.match(stdout, /USB +2341:0043\n +serial no\. +U1\n/)
    assert.match(stdout, denied)
  })

  test('a user of the group may', async t => {
    const stdout = await listedPorts(t, foldersOfNobody(), asNobody(dialout))
    assert.match(stdout, /answers as +Greenhouse 1\.0\.0/)
  })

  describe('with the rules that "ferrule ports --udev" prints', () => {
    const rules = '/run/udev/rules.d/70-ferrule.rules'
    const seats = '/run/systemd/seats'
    before(async () => {
      const { stdout } = await ferrule({ after }, ['ports', '--udev'])
      mkdirSync('/run/udev/rules.d', { recursive: true })
      writeFileSync(rules, `${stdout}\n`)
      // What logind would tell: who sits at this computer.
      mkdirSync(seats, { recursive: true })
      writeFileSync(`${seats}/seat0`, `IS_SEAT0=1\nACTIVE=1\nACTIVE_UID=${nobody}\n`)
      udevadm('control', '--reload')
      board.unplug()
      settle()
      port = await board.plug()
      settle()
    })
    after(() => {
      rmSync(rules)
      rmSync(seats, { recursive: true })
    })

    test('udev has nothing against them', () => {
      const verified = udevadm('verify', rules)
      if (!/unknown command|unrecognized/i.test(verified.text)) assert.equal(verified.code, 0, verified.text)
      const { text } = udevadm('test', port.replace('/dev/', '/sys/class/tty/'))
      const lines = text.split('\n').filter(line => line.includes('70-ferrule.rules'))
      assert.ok(
        lines.some(line => line.includes('Reading rules file')),
        text,
      )
      assert.deepEqual(
        lines.filter(line => /invalid|unknown|ignoring|failed|error/i.test(line)),
        [],
      )
    })

    test('ModemManager leaves it alone, and the group keeps it', () => {
      assert.equal(properties(port).ID_MM_PORT_IGNORE, '1')
      const { mode, gid } = statSync(port)
      assert.deepEqual([(mode & 0o777).toString(8), String(gid)], ['660', dialout])
    })

    test('whoever sits at the computer may use it, without any group', async t => {
      const stdout = await listedPorts(t, foldersOfNobody(), asNobody())
      assert.match(stdout, /answers as +Greenhouse 1\.0\.0/)
    })
  })
})
