import { EventEmitter } from 'node:events'
import { join, normalize } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstRows, openFirstScreen } from '../../../../simulator/run/demo/first-screen.ts'
import { cellsOf } from '../../../../simulator/screen/drawing/text.ts'
import { SMALLEST } from '../../../../simulator/screen/layout/layout.ts'
import { importsOf, readSources } from '../../../support/structure/sources.ts'

const ENTER = '\u001b[?1049h'
const LEAVE = '\u001b[?1049l'

class Terminal extends EventEmitter {
  written = ''
  exits: number[] = []
  stdout = {
    ...{ columns: 80, rows: 24 },
    write: (text: string) => {
      this.written += text
      return true
    },
  }
  exit(code: number) {
    this.exits.push(code)
  }
}

describe('the first screen of the demo', () => {
  it('needs nothing that takes long to load: only files without packages', () => {
    const sources = new Map(readSources(['simulator', 'protocol']).map(({ path, text }) => [path, text]))
    const seen = new Set<string>()
    const packages = new Set<string>()
    const visit = (path: string) => {
      if (seen.has(path)) return
      seen.add(path)
      const text = sources.get(path)
      if (text === undefined) return void packages.add(path)
      // What is imported later, and what is only a type, is not loaded.
      const loaded = text.replace(/import type [^;]*? from '[^']+'|await import\('[^']+'\)/g, '')
      for (const imported of importsOf(path, loaded)) visit(imported)
    }
    visit(normalize(join('simulator', 'run', 'demo', 'main.ts')))
    expect([...seen]).toContain('simulator/run/demo/first-screen.ts')
    expect([...packages].filter((name) => !name.startsWith('node:'))).toEqual([])
  })

  it('fits every terminal, and fills it from the smallest size', () => {
    const sizes = fc.record({
      columns: fc.integer({ min: 20, max: 220 }),
      rows: fc.integer({ min: 5, max: 70 }),
    })
    fc.assert(
      fc.property(sizes, (size) => {
        const rows = firstRows('DEMO-0001', size)
        for (const row of rows) expect(cellsOf(row)).toBeLessThanOrEqual(size.columns)
        expect(rows.length).toBeLessThanOrEqual(size.rows)
        if (size.columns < SMALLEST.columns || size.rows < SMALLEST.rows) return
        expect(rows.length).toBe(size.rows)
        expect(rows.join('\n')).toContain('Đang kết nối…')
        expect(rows[0]).toMatch(/^╭─ DEMO-0001 ─+╮/)
      }),
    )
  })

  it('is drawn at once, and gives the terminal back at the end of the process', () => {
    const terminal = new Terminal()
    openFirstScreen('DEMO-0001', terminal)
    expect(terminal.written.startsWith(ENTER)).toBe(true)
    expect(terminal.written).toContain('DEMO-0001')
    terminal.emit('exit')
    expect(terminal.written.endsWith(LEAVE)).toBe(true)
    expect(terminal.exits).toEqual([])
  })

  it('gives the terminal back at a signal, and ends', () => {
    const terminal = new Terminal()
    const { close } = openFirstScreen('DEMO-0001', terminal)
    terminal.emit('SIGINT')
    terminal.emit('SIGINT')
    close()
    expect(terminal.written.split(LEAVE)).toHaveLength(2)
    expect(terminal.exits).toEqual([130])
  })

  it('leaves the terminal alone once another screen has it', () => {
    const terminal = new Terminal()
    const { handOver, close } = openFirstScreen('DEMO-0001', terminal)
    handOver()
    close()
    for (const event of ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP']) terminal.emit(event)
    expect(terminal.written).not.toContain(LEAVE)
    expect(terminal.exits).toEqual([])
  })
})
