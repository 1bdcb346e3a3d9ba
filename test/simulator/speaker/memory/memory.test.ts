import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileMemory } from '../../../../simulator/speaker/memory/file.ts'
import { FACTORY_MEMORY, MemoryError } from '../../../../simulator/speaker/memory/memory.ts'

const KEPT = { played: 41, settings: { ver: 3, volume: 60, lang: 'en' } } as const

describe('the memory file', () => {
  let dir = ''
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'speaker-'))
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  it('starts in factory state, and creates its folder', () => {
    const memory = fileMemory(join(dir, 'deep', 'er'), 'SPK-1')
    expect(memory.load()).toEqual(FACTORY_MEMORY)
    memory.save(KEPT)
    expect(memory.load()).toEqual(KEPT)
  })

  it('sb/1 12.1: returns the last saved state, also to another process, and leaves no other file', () => {
    fileMemory(dir, 'SPK-1').save(FACTORY_MEMORY)
    fileMemory(dir, 'SPK-1').save(KEPT)
    expect(fileMemory(dir, 'SPK-1').load()).toEqual(KEPT)
    expect(readdirSync(dir)).toEqual(['SPK-1.json'])
  })

  it('sb/1 12.3: survives an interrupted write', () => {
    fileMemory(dir, 'SPK-1').save(KEPT)
    writeFileSync(join(dir, 'SPK-1.json.tmp'), '{"serial":"SPK-1","pla')
    expect(fileMemory(dir, 'SPK-1').load()).toEqual(KEPT)
  })

  it.each([
    ['is not JSON', '{'],
    ['lacks a field', '{"serial":"SPK-1","played":1}'],
    ['belongs to another speaker', JSON.stringify({ serial: 'SPK-2', ...KEPT })],
  ])('sb/1 12.4, sb/1 12.5: is not trusted when it %s', (_, text) => {
    writeFileSync(join(dir, 'SPK-1.json'), text)
    expect(() => fileMemory(dir, 'SPK-1').load()).toThrow(MemoryError)
  })

  it('reports when it can’t be written', () => {
    writeFileSync(join(dir, 'file'), '')
    const memory = fileMemory(join(dir, 'file'), 'SPK-1')
    expect(() => memory.save(KEPT)).toThrow(/can't write the speaker's memory/)
  })
})
