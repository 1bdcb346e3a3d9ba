import { expect, it } from 'vitest'
import { type Effect, pressed } from '../../../simulator/screen/press.ts'
import type { Overlay } from '../../../simulator/screen/ui-state.ts'
import { modelOf, packetOf, SIZES } from './model.ts'

const [, SIZE] = SIZES
const PAGE = { key: 'k', label: 'the key', lines: [] }
const MISSED = { screen: 'missed', count: 1, amount: '1' } as const

/** A screen with this overlay: a notice stands there, and the last packet has a frame. */
function model(overlay: Overlay, controls = true) {
  const log = [packetOf('in', '{"amount":"1"}')]
  const extraKeys = [{ key: 'p', label: 'pay again' }]
  return modelOf(SIZE, MISSED, { controls, log, extraKeys, page: PAGE, ui: { overlay, notice: 'copied' } })
}

it.each<[Overlay, string, Overlay, Effect | undefined]>([
  ['none', 'q', 'none', { kind: 'quit' }],
  ['none', 'ctrl+c', 'none', { kind: 'quit' }],
  ['none', 'escape', 'none', { kind: 'leave' }],
  ['none', 'd', 'none', { kind: 'control', action: 'dismiss' }],
  ['none', 'p', 'none', { kind: 'extra', press: 'p' }],
  ['none', 'u', 'none', undefined],
  ['none', 'k', 'page', undefined],
  ['none', '?', 'help', undefined],
  ['none', 'up', 'log', undefined],
  ['none', '/', 'log', undefined],
  ['help', '?', 'none', undefined],
  ['help', 'd', 'help', undefined],
  ['page', 'k', 'none', undefined],
  ['faults', 'a', 'faults', { kind: 'fault', letter: 'a' }],
  ['faults', 'ctrl+c', 'faults', { kind: 'quit' }],
  ['frame', 'c', 'frame', { kind: 'copy', text: '{"amount":"1"}' }],
  ['frame', 'q', 'none', undefined],
  ['log', 'd', 'log', { kind: 'control', action: 'dismiss' }],
  ['log', 'p', 'log', { kind: 'extra', press: 'p' }],
  ['log', 'f', 'log', undefined],
  ['log', '?', 'log help', undefined],
  ['log', 'return', 'frame', undefined],
  ['log', 'q', 'none', undefined],
])('while %s is open, %s leads to %s and %o', (overlay, press, next, effect) => {
  const after = pressed(press, model(overlay))
  expect([after.ui.overlay, after.effect]).toEqual([next, effect])
})

it('a notice lasts until the next press', () => {
  expect(pressed('u', model('none')).ui.notice).toBe('')
  expect(pressed('c', model('frame')).ui.notice).toBe('copied the frame')
})

it('a recording can not be controlled', () => {
  for (const overlay of ['none', 'log'] as const)
    expect(pressed('d', model(overlay, false)).effect).toBeUndefined()
})
