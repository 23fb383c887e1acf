import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DefinitionError } from '../runtime/errors.ts'
import { compileUriTemplate } from '../runtime/uri-template.ts'

describe('a URI of the template gives its variables', () => {
  it.each<[string, string, Record<string, string>]>([
    ['sensor://box/{id}', 'sensor://box/soil', { id: 'soil' }],
    ['sensor://box/all', 'sensor://box/all', {}],
    ['sensor://{board}/{id}', 'sensor://box/soil', { board: 'box', id: 'soil' }],
    ['sensor://box/{id}', 'sensor://box/a%2Fb%20c%C3%A9', { id: 'a/b cé' }],
    ['sensor://box/{id}', 'sensor://box/a,b', { id: 'a,b' }],
    ['log://{x,y}', 'log://1,2', { x: '1', y: '2' }],
    ['log://{x,y}', 'log://1', { x: '1' }],
    ['log://{from}-{to}', 'log://1-2-3', { from: '1', to: '2-3' }],
    ['log://{from}..{to}.txt', 'log://a.b..c.txt.txt', { from: 'a.b', to: 'c.txt' }],
    ['file:///{+path}', 'file:///a/b/c.txt', { path: 'a/b/c.txt' }],
    ['file:///{+path}', 'file:///', { path: '' }],
    ['file:///{+path}/raw', 'file:///a/raw/b/raw', { path: 'a/raw/b' }],
    ['file:///{+dir}/{name}', 'file:///a/b/c', { dir: 'a/b', name: 'c' }],
    ['file:///{+dir}/{name}{.ext}', 'file:///a/b/c.tar', { dir: 'a/b', name: 'c', ext: 'tar' }],
    ['log://box{?q}', 'log://box', {}],
    ['log://box{?q}', 'log://box?q=', { q: '' }],
    ['log://box{?q}', 'log://box?q=a%20b/c', { q: 'a b/c' }],
    ['log://box{?q,limit}', 'log://box?limit=3&q=x', { q: 'x', limit: '3' }],
    ['log://box{?tag*}', 'log://box?tag=a&tag=b%2Cc', { tag: 'a,b,c' }],
    ['log://box?v=1{&q}', 'log://box?v=1&q=x', { q: 'x' }],
    ['log://box/{id}{?q}{#part}', 'log://box/a?q=1#top', { id: 'a', q: '1', part: 'top' }],
    ['log://box{/a,b}', 'log://box/x/y', { a: 'x', b: 'y' }],
    ['log://box{/a,b}', 'log://box/x', { a: 'x' }],
    ['log://box{/a}/x', 'log://box/x', {}],
    ['log://box{.ext*}', 'log://box.tar.gz', { ext: 'tar,gz' }],
    ['log://box{;a,b}', 'log://box;b=2', { b: '2' }],
    ['log://box{;a,b}', 'log://box;a;b=', { a: '', b: '' }],
    ['log://box{?q}', 'log://box?q=a=b', { q: 'a=b' }],
    ['log://{constructor}/{toString}', 'log://1/2', { constructor: '1', toString: '2' }],
  ])('%s of %s', (template, uri, values) => {
    expect({ ...compileUriTemplate(template).match(uri) }).toEqual(values)
  })
})

describe('another URI is not of the template', () => {
  it.each([
    ['sensor://box/{id}', 'sensor://box/'],
    ['sensor://box/{id}', 'sensor://box'],
    ['sensor://box/{id}', 'sensor://box/a/b'],
    ['sensor://box/{id}', 'sensor://box/a?b=c'],
    ['sensor://box/{id}', 'sensor://box/a#b'],
    ['sensor://box/{id}', 'xsensor://box/a'],
    ['sensor://box/{id}', 'SENSOR://box/a'],
    ['sensor://box/{id}', 'sensor://box/%E0%A4%A'],
    ['sensor://box/{id}', 'sensor://box/%'],
    ['sensor://box/{id}/x', 'sensor://box/a/xy'],
    ['sensor://box/all', 'sensor://box/all/'],
    ['log://{x,y}', 'log://1,2,3'],
    ['log://box{?q}', 'log://boxing'],
    ['log://box{?q}', 'log://box?'],
    ['log://box{?q}', 'log://box?q'],
    ['log://box{?q}', 'log://box?p=1'],
    ['log://box{?q}', 'log://box?q=1#top'],
    ['log://box{?q}', 'log://box?q=1&p=2'],
    ['log://box{?q}', 'log://box?q=1&q=2'],
    ['log://box{?q}', 'log://box?__proto__=1'],
    ['log://box{?tag*}', 'log://box?tag=a&other=b'],
    ['log://box{;a}', 'log://box;b'],
    ['log://box{#part}', 'log://boxtop'],
    ['log://box{/a}', 'log://box/x/y'],
  ])('%s of %s', (template, uri) => {
    expect(compileUriTemplate(template).match(uri)).toBeUndefined()
  })

  it('and neither is what is no string', () => {
    const template = compileUriTemplate('{+all}')
    for (const uri of [undefined, null, 5, {}, ['a']]) expect(template.match(uri as string)).toBeUndefined()
  })
})

describe('a template that cannot be matched is refused when it is declared', () => {
  it.each([
    ['', 'is empty'],
    ['a{', 'a brace without its partner'],
    ['a}', 'a brace without its partner'],
    ['{a{b}}', 'a brace without its partner'],
    ['{}', '{} is no list of variable names'],
    ['{?}', '{?} is no list of variable names'],
    ['{a,}', '{a,} is no list of variable names'],
    ['{a b}', '{a b} is no list of variable names'],
    ['{=a}', '{=a} is no list of variable names'],
    ['{a*,b}', '{a*,b} is no list of variable names'],
    ['a b', '"a b" holds a character that no URI has'],
    ['{a:3}', 'gives only the beginning of a value'],
    ['{/a*}', 'use {+a}'],
    ['{a}{b}', 'nothing tells where the variable before {b} ends'],
    ['{?q}{+b}', 'nothing tells where the variable before {+b} ends'],
    ['{a}/{a}', 'the variable "a" is taken'],
    ['{__proto__}', 'the variable "__proto__" is taken'],
    ['a'.repeat(2049), 'longer than 2048'],
  ])('%s', (template, message) => {
    expect(() => compileUriTemplate(template)).toThrow(DefinitionError)
    expect(() => compileUriTemplate(template)).toThrow(message)
  })
})

it('a template tells its variables in order', () => {
  const { template, variables } = compileUriTemplate('log://{b}{/c,a}{?z,y}')
  expect(template).toBe('log://{b}{/c,a}{?z,y}')
  expect(variables).toEqual(['b', 'c', 'a', 'z', 'y'])
})

it('a name that the URI leaves out is not found on the record by inheritance', () => {
  const values = compileUriTemplate('log://box{?constructor}').match('log://box')!
  expect(values.constructor).toBeUndefined()
})

it('a URI may have 8192 characters and no more', () => {
  const template = compileUriTemplate('log://{id}')
  expect(template.match(`log://${'a'.repeat(8192 - 6)}`)?.id).toHaveLength(8192 - 6)
  expect(template.match(`log://${'a'.repeat(8192 - 5)}`)).toBeUndefined()
})

it('a URI that could be divided in very many ways is answered soon', () => {
  const template = compileUriTemplate('/{a}-{b}-{c}-{d}-{e}-{f}!')
  // Trying each way would take 8000^5 steps: this test then never ends.
  expect(template.match(`/${'-'.repeat(8000)}`)).toBeUndefined()
  expect(template.match(`/${'-'.repeat(8000)}!`)).toMatchObject({ a: '-', b: '-' })
})

it('what is written into a template comes back out of it', () => {
  const value = fc.string({ unit: 'grapheme', minLength: 1 })
  const parts = fc.record({ board: value, dir: fc.array(value, { minLength: 1, maxLength: 4 }), q: value })
  const template = compileUriTemplate('log://{board}/{+dir}/end{?q}')
  fc.assert(
    fc.property(parts, ({ board, dir, q }) => {
      const path = dir.map(encodeURIComponent).join('/')
      const uri = `log://${encodeURIComponent(board)}/${path}/end?q=${encodeURIComponent(q)}`
      expect({ ...template.match(uri) }).toEqual({ board, dir: dir.join('/'), q })
    }),
  )
})

it('whatever is sent, nothing is thrown', () => {
  const templates = ['{+a}/{b}', 'log://{a,b}{?c,d}{#e}', '{a}{.b*}', 'x{/a,b}{;c,d}', 'x{?a*}'].map(compileUriTemplate)
  const piece = fc.constantFrom(
    'log://',
    'x',
    '/',
    '?',
    '#',
    '&',
    ';',
    '.',
    ',',
    'a=',
    '%',
    '%41',
    '%ff',
    '\ud800',
    '__proto__=',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      for (const template of templates) {
        const values = template.match(pieces.join(''))
        for (const name of Object.keys(values ?? {})) expect(template.variables).toContain(name)
      }
    }),
    { numRuns: 2000 },
  )
})
