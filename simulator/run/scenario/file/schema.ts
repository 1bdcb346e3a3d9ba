import { z } from 'zod'
import { language } from '../../../../protocol/messages/fields.ts'
import { LANGUAGES } from '../../../../protocol/money/language.ts'
import { BOX_FAULTS } from '../../../boxes/core/faults.ts'
import { BOX_KINDS } from '../../../boxes/kinds.ts'
import { FAULTS } from '../../../speaker/device/state/faults.ts'
import { CAPS } from '../../../speaker/device/state/state.ts'
import { amongValues } from './issues.ts'
import { castName, variableName } from './steps.ts'

/** The schema of a scenario file without its steps; scenarios/README.md describes it for authors. */

/** So many processes of a hub with a PostgreSQL fit on a desk. */
const MOST_HUBS = 5

const clipMs = z.exactOptional(z.int().min(1).max(5_000))

/** Hardware of sb/1 that differs from the default. */
const speakerHardware = z.strictObject({
  dialect: z.literal('sb1').optional(),
  msPerClip: clipMs,
  rxBytes: z.exactOptional(z.int().min(128).max(60_000)),
  languages: z.exactOptional(z.array(language).min(1)),
  caps: z.exactOptional(z.array(z.enum(CAPS))),
  /** The range of the delay of a packet under the fault slow-link, in milliseconds. */
  slowLinkMs: z.exactOptional(
    z
      .strictObject({ least: z.int().min(0), most: z.int().max(30_000) })
      .refine(({ least, most }) => least <= most, 'least is greater than most'),
  ),
  faults: z.array(z.enum(FAULTS)).default([]),
})
export type SpeakerHardware = z.infer<typeof speakerHardware>

/** A box of another maker. */
const boxHardware = z.strictObject({
  dialect: z.enum(BOX_KINDS),
  msPerClip: clipMs,
  /** Its voice and its screen. */
  language: z.exactOptional(z.enum(LANGUAGES)),
  /** The `play_status` that hemipay reports after a sound. */
  playReport: z.exactOptional(z.string().min(1).max(32)),
  /** What it listens on, in place of its kind's own topic. */
  topic: z.exactOptional(z.string().min(1).max(256)),
  productKey: z.exactOptional(z.string().min(1).max(64)),
  faults: z.array(z.enum(BOX_FAULTS)).default([]),
})
export type BoxHardware = z.infer<typeof boxHardware>

const hardware = z.preprocess(
  // `door:` without a value is a speaker like any other.
  (given) => given ?? {},
  z.discriminatedUnion('dialect', [speakerHardware, boxHardware], {
    error: ({ code, input }) =>
      code === 'invalid_union' ? amongValues(Object(input).dialect, ['sb1', ...BOX_KINDS]) : undefined,
  }),
)
export type Hardware = z.infer<typeof hardware>

export function isBoxHardware(hardware: Hardware): hardware is BoxHardware {
  return hardware.dialect !== undefined && hardware.dialect !== 'sb1'
}

const fields = {
  /** What the scenario shows, in a sentence. */
  about: z.string().min(1, 'must say what the scenario shows, in a sentence'),
  /** The only speaker. */
  speaker: hardware.optional(),
  /** Several speakers by their names. */
  speakers: z
    .record(castName, hardware)
    .refine((given) => Object.keys(given).length > 0, 'name at least one speaker')
    .optional(),
  /** The names of several partners. */
  partners: z
    .array(castName)
    .min(1)
    .refine((names) => new Set(names).size === names.length, 'two partners have the same name')
    .optional(),
  hubs: z.int().min(1).max(MOST_HUBS).optional(),
  /** Values by the names that steps use as `${name}`. */
  variables: z.record(variableName, z.unknown()).optional(),
  steps: z.array(z.unknown()).min(1, 'a scenario has at least one step'),
}

export const scenarioFile = z
  .strictObject(fields, {
    error: ({ code, input }) => {
      if (code !== 'invalid_type') return undefined
      const has = `a scenario has ${Object.keys(fields).join(', ')}`
      return input === null ? `the file is empty: ${has}` : has
    },
  })
  .refine(({ speaker, speakers }) => speaker === undefined || speakers === undefined, {
    path: ['speakers'],
    error: 'a scenario has `speaker` or `speakers`, not both',
  })
