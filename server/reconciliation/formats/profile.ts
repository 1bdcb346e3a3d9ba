import { z } from 'zod'
import { isZone } from '../../platform/time/zone-day.ts'
import { LOCAL_ZONE } from '../model/statement.ts'
import { dateReader } from './dates.ts'
import { ENCODINGS } from './decode.ts'

/** The name of the profile that stands for camt.053, which needs none. */
export const CAMT = 'camt.053'

export const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/

/** Whether a profile may have a name: 1 to 32 letters, digits, dots, hyphens and underscores, and not that of camt.053. */
export const isProfileName = (name: string): boolean => PROFILE_NAME.test(name) && name !== CAMT

/** A column by its name in the header, or by its number from 1. */
const column = z.union([z.string().min(1).max(128), z.int().min(1).max(256)])

/** How the files of a bank are read. */
export const profileSchema = z
  .strictObject({
    encoding: z.enum(ENCODINGS).default('utf-8'),
    separator: z.enum([',', ';', '\t', '|']).default(','),
    /** The line with the names of the columns, from 1; what is above it is passed over. 0: there is none. */
    headerRow: z.int().min(0).max(1_000).default(1),
    /** The first line behind the rows begins with this text. */
    footer: z.string().min(1).max(128).optional(),
    columns: z.strictObject({
      date: column,
      /** HH:MM or HH:MM:SS. */
      time: column.optional(),
      amount: column.optional(),
      credit: column.optional(),
      debit: column.optional(),
      /** Says the direction: see `debitMark`. */
      direction: column.optional(),
      /** Of the account, behind the row. */
      balance: column.optional(),
      reference: column.optional(),
      text: column,
    }),
    decimal: z.enum(['.', ',']).default('.'),
    thousand: z.enum(['', '.', ',', ' ']).default(''),
    dateFormat: z.string().max(64).default('yyyy-mm-dd'),
    zone: z.string().refine(isZone, 'must be a name of the IANA time zone database').default(LOCAL_ZONE),
    /**
     * `plus`: an amount without a minus is a credit. `minus`: it is a debit. `columns`: a column for each direction.
     * `direction`: a column says it.
     */
    sign: z.enum(['plus', 'minus', 'columns', 'direction']).default('plus'),
    /** What the column `direction` has for a debit. */
    debitMark: z.string().min(1).max(32).optional(),
    /** Finds a reference in the text: it begins with `prefix`, and has `length` letters and digits in all. */
    reference: z
      .strictObject({ prefix: z.string().regex(/^[A-Za-z0-9]{1,16}$/), length: z.int().min(4).max(64) })
      .optional(),
  })
  .superRefine(({ columns, decimal, thousand, dateFormat, sign, debitMark, reference }, context) => {
    const wrong = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (decimal === thousand) wrong('thousand', 'must differ from `decimal`')
    if (!dateReader(dateFormat)) wrong('dateFormat', 'must have one dd, one mm and one yyyy or yy')
    const isTwo = columns.credit !== undefined && columns.debit !== undefined
    if (sign === 'columns' ? !isTwo : columns.amount === undefined)
      wrong('columns', sign === 'columns' ? 'must have `credit` and `debit`' : 'must have `amount`')
    if (sign === 'direction' && (columns.direction === undefined || debitMark === undefined))
      wrong('debitMark', 'is required with a column `direction`')
    if (reference && reference.prefix.length >= reference.length)
      wrong('reference', 'must be longer than its prefix')
  })

export type BankProfile = z.output<typeof profileSchema>

/** A saved profile. */
export interface NamedProfile {
  name: string
  profile: BankProfile
  updatedAt: number
}

/** Reads a profile from JSON. Issues are sentences with the field in front. */
export function readProfile(json: string): { profile: BankProfile } | { issues: string[] } {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return { issues: ['it is not JSON'] }
  }
  const { data, error } = profileSchema.safeParse(value)
  if (data) return { profile: data }
  return { issues: error.issues.map(({ path, message }) => `${path.join('.') || 'profile'}: ${message}`) }
}
