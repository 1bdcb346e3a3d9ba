import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { CONTROLS, parseControl, runControl } from '../../../../simulator/run/headless/control.ts'
import type { Line } from '../../../../simulator/run/headless/headless.ts'
import { volatileMemory } from '../../../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../../../simulator/speaker/speaker.ts'
import { eventually } from '../../../support/wait.ts'
import { readmeOf } from '../../support/readme.ts'

describe('a control line', () => {
  it.each([
    ['power off', { do: 'power', on: false }],
    ['power on', { do: 'power', on: true }],
    ['network cut', { do: 'network', on: false }],
    ['network plug', { do: 'network', on: true }],
    ['fault mute on', { do: 'fault', fault: 'mute', on: true }],
    ['  fault  slow-link  off ', { do: 'fault', fault: 'slow-link', on: false }],
    ['volume 0', { do: 'adjust', change: { volume: 0 } }],
    ['volume 100', { do: 'adjust', change: { volume: 100 } }],
    ['language en', { do: 'adjust', change: { lang: 'en' } }],
    ['reconnect', { do: 'reconnect' }],
    ['dismiss', { do: 'dismiss' }],
  ])('%s', (line, order) => {
    expect(parseControl(line)).toEqual({ kind: 'order', order })
  })

  it.each([
    ['power', /"power" is not a control line: power off\|on, network cut\|plug/],
    ['power maybe', /is not a control line/],
    ['power off now', /is not a control line/],
    ['fault broken-heart on', /there is no fault "broken-heart": slow-link, drop-acks/],
    ['fault mute', /is not a control line/],
    ['volume 101', /is not a control line/],
    ['volume -1', /is not a control line/],
    ['language fr', /is not a control line/],
    ['{"power":"off"}', /is not a control line/],
    ['constructor', /is not a control line/],
  ])('%s is refused', (line, message) => {
    expect(parseControl(line)).toMatch(message)
  })

  it('is in the README', () => {
    const [, table = ''] = readmeOf('simulator/run/headless').split('## Control')
    for (const verb of CONTROLS.map((one) => one.split(' ')[0]))
      expect(table).toMatch(new RegExp(`\`${verb}\\b`))
  })
})

describe('control through the standard input', () => {
  it('performs line by line, answers unknown lines, and ends at quit', async () => {
    const speaker = createSpeaker({
      ...{ serial: 'SPK-0001', key: Buffer.alloc(32), url: 'mqtt://127.0.0.1:1', memory: volatileMemory() },
    })
    const input = new PassThrough()
    const lines: Line[] = []
    const running = runControl(speaker, input, {
      print: (line) => lines.push(line),
      signal: new AbortController().signal,
    })
    input.write('fault mute on\n\nsnapshot\nsing\npower off\nsnapshot\nquit\nsnapshot\n')
    await running
    expect(lines).toMatchObject([
      { event: 'snapshot', faults: ['mute'], power: true },
      { event: 'error', message: expect.stringMatching(/^"sing" is not a control line/) },
      { event: 'snapshot', power: false, display: { screen: 'off' } },
    ])
  })

  it('continues after the end of its input, and releases it when the speaker ends', async () => {
    const speaker = createSpeaker({
      ...{ serial: 'SPK-0001', key: Buffer.alloc(32), url: 'mqtt://127.0.0.1:1', memory: volatileMemory() },
    })
    const ended = vi.fn()
    const over = new AbortController()
    const input = new PassThrough()
    void runControl(speaker, input, { print: () => undefined, signal: over.signal }).then(ended)
    input.end('fault mute on\n')
    await eventually(() => expect(speaker.snapshot().faults).toEqual(['mute']))
    over.abort()
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended).not.toHaveBeenCalled()
  })
})
