import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { putLibrary, sketchbook } from '../bin/library.ts'
import { packageFile } from '../bin/place.ts'

const folder = mkdtempSync(join(tmpdir(), 'ferrule-library-'))
afterAll(() => rmSync(folder, { recursive: true }))

const from = join(folder, 'package')
let libraries: string

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

beforeEach(() => {
  rmSync(from, { recursive: true, force: true })
  libraries = mkdtempSync(join(folder, 'libraries-'))
  write(join(from, 'library.properties'), 'name=Ferrule\nversion=1.2.0\r\nauthor=x\n')
  write(join(from, 'src/Ferrule.h'), '// new')
  write(join(from, 'examples/Blink/Blink.ino'), '// blink')
  write(join(from, 'firmware/greenhouse.hex'), ':00000001FF')
})

describe('the Arduino library', () => {
  it('is put into a folder of its name, and nothing but it', () => {
    expect(putLibrary(from, libraries, false)).toEqual({
      name: 'Ferrule',
      version: '1.2.0',
      path: join(libraries, 'Ferrule'),
    })
    expect(readdirSync(libraries)).toEqual(['Ferrule'])
    expect(readdirSync(join(libraries, 'Ferrule')).sort()).toEqual(['examples', 'library.properties', 'src'])
  })

  it('of this package is one', () => {
    const { name, path } = putLibrary(packageFile('boards/microcontroller'), libraries, false)
    expect(name).toBe('Ferrule')
    expect(readdirSync(path)).toEqual(expect.arrayContaining(['LICENSE', 'examples', 'library.properties', 'src']))
    expect(readdirSync(join(path, 'src'))).toContain('Ferrule.h')
  })

  it('is put again where the same version is, and files that are no longer of it go', () => {
    putLibrary(from, libraries, false)
    write(join(libraries, 'Ferrule/src/Old.h'), '// old')
    putLibrary(from, libraries, false)
    expect(existsSync(join(libraries, 'Ferrule/src/Old.h'))).toBe(false)
    expect(readFileSync(join(libraries, 'Ferrule/src/Ferrule.h'), 'utf8')).toBe('// new')
  })

  it.each([
    ['another version', 'name=Ferrule\nversion=1.1.0\n', 'holds Ferrule 1.1.0, and would be replaced by 1.2.0'],
    ['something else', undefined, 'holds something that is no library'],
  ])('does not replace %s unless it is told to', (_, properties, expected) => {
    write(join(libraries, 'Ferrule/mine.h'), '// mine')
    if (properties !== undefined) write(join(libraries, 'Ferrule/library.properties'), properties)
    expect(() => putLibrary(from, libraries, false)).toThrow(expected)
    expect(readFileSync(join(libraries, 'Ferrule/mine.h'), 'utf8')).toBe('// mine')
    putLibrary(from, libraries, true)
    expect(existsSync(join(libraries, 'Ferrule/mine.h'))).toBe(false)
  })

  it('goes to the sketchbook that there is', () => {
    const home = mkdtempSync(join(folder, 'home-'))
    expect(() => sketchbook(home)).toThrow('there is no sketchbook of the Arduino IDE at')
    mkdirSync(join(home, 'Documents/Arduino'), { recursive: true })
    expect(sketchbook(home)).toBe(join(home, 'Documents/Arduino/libraries'))
    mkdirSync(join(home, 'Arduino'))
    expect(sketchbook(home)).toBe(join(home, 'Arduino/libraries'))
  })
})
