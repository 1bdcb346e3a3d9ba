import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  type HeadlessOptions,
  linePrinter,
  runHeadless,
} from '../../../../simulator/run/headless/headless.ts'
import {
  type HeadlessLine,
  headlessLine,
  type packetNote,
  type snapshot,
  speakerEvent,
} from '../../../../simulator/run/headless/lines.ts'
import type { PacketNote } from '../../../../simulator/speaker/connection/packets.ts'
import type { SpeakerEvent } from '../../../../simulator/speaker/device/state/speaker-events.ts'
import { createFeed } from '../../../../simulator/speaker/feed.ts'
import type { SpeakerSnapshot } from '../../../../simulator/speaker/snapshot.ts'
import { readmeOf } from '../../support/readme.ts'

/** Flattens intersections, so that a missing or additional field is an error. */
type Flat<T> = T extends unknown ? { [K in keyof T]: T[K] } : never

/** The output of two events with a packet between them. */
function printed(options: HeadlessOptions): string {
  const feed = createFeed()
  let text = ''
  const print = linePrinter((line) => {
    text += line
  }, options)
  const end = runHeadless(feed, print, options)
  feed.publish({ atMs: 0, kind: 'event', event: { event: 'code', code: '048213', exp: 60 } })
  const message = { topic: 'down', bytes: 120, frame: '{}', t: 'welcome', n: 1 } as const
  feed.publish({ atMs: 1, kind: 'packet', note: { direction: 'in', packet: 'publish', message } })
  feed.publish({ atMs: 2, kind: 'event', event: { event: 'played', n: 1 } })
  end()
  feed.publish({ atMs: 3, kind: 'event', event: { event: 'played', n: 2 } })
  return text
}

describe('headless mode', () => {
  it('prints each event as one line of JSON, and no packets', () => {
    expect(printed({})).toBe('{"event":"code","code":"048213","exp":60}\n{"event":"played","n":1}\n')
  })

  it('prints packets with the option', () => {
    expect(printed({ packets: true }).split('\n')[1]).toBe(
      '{"event":"packet","direction":"in","packet":"publish","topic":"down","type":"welcome","n":1,"bytes":120,"frame":"{}"}',
    )
  })

  it('prints the time after the event with the option', () => {
    expect(printed({ timestamps: true }).split('\n')[1]).toBe(
      '{"event":"played","at":"1970-01-01T00:00:00.002Z","n":1}',
    )
  })
})

describe('the schema of the lines', () => {
  it('has the type of the events', () => {
    expectTypeOf<z.infer<typeof speakerEvent>>().toEqualTypeOf<Flat<SpeakerEvent>>()
    expectTypeOf<SpeakerEvent>().toExtend<HeadlessLine>()
    expect(new Set(speakerEvent.options.map(({ shape }) => shape.event.value)).size).toBe(
      speakerEvent.options.length,
    )
  })

  it('has the type of the packets', () => {
    expectTypeOf<z.infer<typeof packetNote>>().toEqualTypeOf<PacketNote>()
  })

  it('has the type of the snapshot', () => {
    expectTypeOf<SpeakerSnapshot>().toExtend<z.infer<typeof snapshot>>()
    expectTypeOf<Required<z.infer<typeof snapshot>>>().toEqualTypeOf<Required<SpeakerSnapshot>>()
  })

  it.each(headlessLine.options.map((line) => [line.shape.event.value, line] as const))(
    'is in the README’s table: %s',
    (event, line) => {
      const row =
        readmeOf('simulator/run/headless').match(new RegExp(`^\\| \`${event}\` \\| (.*?) \\| `, 'm'))?.[1] ??
        ''
      const named = [...row.matchAll(/`([a-zA-Z]+)`(\??)/g)].map(([, name, mark]) => `${name}${mark}`)
      const fields = Object.entries(line.shape).flatMap(([name, field]) =>
        name === 'event' ? [] : [`${name}${field instanceof z.core.$ZodOptional ? '?' : ''}`],
      )
      expect(named).toEqual(expect.arrayContaining(fields))
      expect(named).toHaveLength(fields.length)
    },
  )
})
