import { describe, expect, it } from 'vitest'
import { findProgram, type ProgramPlace, spawning } from '../bin/program.ts'

const place = (platform: NodeJS.Platform, path: string, ...files: string[]): ProgramPlace => ({
  platform,
  path,
  isProgram: file => files.includes(file),
})
const nodejs = 'C:\\Program Files\\nodejs'
const windows = place(
  'win32',
  `C:\\Windows;${nodejs}`,
  // The first is for other shells, and Windows cannot run it.
  `${nodejs}\\npx`,
  `${nodejs}\\npx.cmd`,
  `${nodejs}\\node.exe`,
)

describe('a program that a command means', () => {
  it('is found on Windows with the ending that it may be run by', () => {
    expect(findProgram('node', windows)).toBe(`${nodejs}\\node.exe`)
    expect(findProgram('npx', windows)).toBe(`${nodejs}\\npx.cmd`)
    expect(findProgram(`${nodejs}\\node.exe`, windows)).toBe(`${nodejs}\\node.exe`)
    expect(findProgram('python', windows)).toBeUndefined()
  })

  it('is found elsewhere as it is called', () => {
    const linux = place('linux', '/usr/local/bin:/usr/bin', '/usr/bin/node', '/usr/bin/node.exe')
    expect(findProgram('node', linux)).toBe('/usr/bin/node')
    expect(findProgram('/usr/bin/node', linux)).toBe('/usr/bin/node')
    expect(findProgram('bin\\node', linux)).toBeUndefined()
  })
})

describe('starting a program', () => {
  it('of Windows takes the command shell for a script, which nothing else can start', () => {
    expect(spawning('npx', ['-y', 'a server', 'x'], windows)).toEqual({
      file: `"${nodejs}\\npx.cmd" -y "a server" x`,
      args: [],
      shell: true,
    })
    expect(spawning('node', ['a b.js'], windows)).toEqual({
      file: `${nodejs}\\node.exe`,
      args: ['a b.js'],
      shell: false,
    })
  })

  it('leaves what is not found to the system, which says so', () => {
    expect(spawning('python', ['x'], windows)).toEqual({ file: 'python', args: ['x'], shell: false })
  })

  it('elsewhere is never done by a shell', () => {
    expect(spawning('npx', ['$HOME'], place('linux', '/usr/bin', '/usr/bin/npx'))).toEqual({
      file: 'npx',
      args: ['$HOME'],
      shell: false,
    })
  })
})
