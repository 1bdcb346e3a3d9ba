import { z } from '@hono/zod-openapi'
import { statementExamples } from '../http/openapi/examples/statements.ts'
import { story } from '../http/openapi/examples/story.ts'
import { flagParam, listOf, paging } from '../http/openapi/lists.ts'
import { flag, instant, said, shown, uuid, whole } from '../http/openapi/schemas.ts'
import { pattern } from '../http/openapi/text-rules.ts'
import { isoInstant } from '../platform/clock.ts'
import { isDate, isZone } from '../platform/time/zone-day.ts'
import { UNBALANCED } from './balance.ts'
import type { FlatLine } from './files.ts'
import { PROFILE_NAME } from './formats/profile.ts'
import { HUB_PLACES } from './match/summary.ts'
import { BUCKETS, RULES } from './model/statement.ts'

/** The bodies of /partner/statement. */

const story053 = statementExamples.getStatement.answer.balanced.value
const [storyRow] = statementExamples.statementRows.answer.page.value.data
const orNull = <T extends z.ZodType>(schema: T, description: string, example: unknown) =>
  schema.nullable().openapi(shown(description, example))

const accountParam = pattern(/^[A-Za-z0-9 .-]{4,48}$/, 'must be the number of an account')
const bom = flagParam(
  'The file begins with a byte order mark: spreadsheet programs take it for UTF-8. JSON never has one.',
)

export const importQuery = z.object({
  account: accountParam.optional().openapi({
    description: 'The account. It may be left out when the file names it, and no other one.',
  }),
  profile: pattern(PROFILE_NAME, 'must be the name of a profile').optional().openapi({
    description:
      'How the CSV of your bank is read: the operator of the hub saves profiles. camt.053 needs none.',
  }),
})

export const listQuery = z.object(paging)

export const statementParams = z.object({
  id: z.string().openapi({ description: "The statement's id.", examples: [story053.id] }),
})

const LINE_BUCKETS = [...BUCKETS, 'hub_only'] as const

export const rowsQuery = z.object({
  ...paging,
  bucket: z
    .enum(LINE_BUCKETS, `must be one of ${LINE_BUCKETS.join(', ')}`)
    .optional()
    .openapi({
      description:
        'Only rows in this bucket; `hub_only`: the payments that no row has. All rows when absent.',
    }),
  bom,
})

export const dayQuery = z.object({
  date: z
    .string()
    .refine(isDate, 'must be a date: YYYY-MM-DD')
    .optional()
    .openapi({ format: 'date', description: 'The day (YYYY-MM-DD). When absent: today in the zone.' }),
  zone: z
    .string()
    .refine(isZone, 'must be a name of the IANA time zone database, as Asia/Ho_Chi_Minh')
    .default('Asia/Ho_Chi_Minh')
    .openapi({ description: 'The time zone of the day: a name of the IANA database.' }),
  account: accountParam.optional().openapi({
    description: 'Only this account. When absent: all accounts of which there is a statement.',
  }),
  bom,
})

const bankSum = z.object({
  count: whole('Rows.', 1),
  credit: said('The sum of credits in đồng.', story.transactionAmount),
  debit: said('The sum of debits in đồng.', '0'),
})
const hubSum = z.object({
  count: whole('Payments.', 1),
  amount: said('Their sum in đồng.', story.transactionAmount),
})
const MEANINGS: Record<(typeof LINE_BUCKETS)[number], string> = {
  matched: 'With a payment of the same amount.',
  differs: 'With a payment of another amount.',
  bank_only: 'Without a payment.',
  undecided: 'A person has to say which payment it is.',
  repeated: 'An earlier statement has the row.',
  reversed: 'Taken back by the bank.',
  other: 'Debits, and rows dated outside of the statement.',
  hub_only: 'Payments without a row.',
}
const each = <N extends keyof typeof MEANINGS, T extends z.ZodObject>(names: readonly N[], schema: T) =>
  // A property for each name.
  Object.fromEntries(
    names.map((name) => [name, z.object(schema.shape).openapi({ description: MEANINGS[name] })]),
  ) as Record<N, T>

const sums = {
  bank: z
    .object({ ...bankSum.shape, ...each(BUCKETS, bankSum) })
    .openapi({ description: 'What the bank says: its rows by bucket, which add up to the whole.' }),
  hub: z.object({ ...hubSum.shape, ...each(HUB_PLACES, hubSum) }).openapi({
    description:
      'What the hub says: the payments of these days by the bucket of their row; `hub_only` have none.',
  }),
  balanced: flag('Whether nothing is left to find out.', true),
  unbalanced: z
    .array(z.enum(UNBALANCED))
    .openapi({ description: 'Why it is not balanced; empty when it is.' }),
}

export const statementDto = z
  .object({
    id: uuid('The statement.', story053.id),
    account: said('The account, without spaces, dots and dashes.', story053.account),
    state: z.enum(['open', 'signed']).openapi(shown('Whether somebody has signed it off.', 'open')),
    format: z.enum(['csv', 'camt.053']).openapi(shown('The format of the file.', 'camt.053')),
    profile: orNull(z.string(), 'The profile by which it was read; null for camt.053.', null),
    sha256: said('SHA-256 of the file, hexadecimal.', story053.sha256),
    from: z.iso.date().openapi(shown('Its first day.', story053.from)),
    to: z.iso.date().openapi(shown('Its last day.', story053.to)),
    zone: said('The time zone of its days.', story053.zone),
    rows: whole('The number of its rows.', 1),
    opening: orNull(
      z.string(),
      'The balance before it in đồng; null when the file has none.',
      story053.opening,
    ),
    closing: orNull(
      z.string(),
      'The balance behind it in đồng; null when the file has none.',
      story053.closing,
    ),
    importedAt: instant('When it was imported.', story053.importedAt),
    ...sums,
    signOffs: z
      .array(
        z.object({
          at: instant('When it was signed off.', story053.importedAt),
          signedBy: said('Who has signed it off.', 'lan'),
          note: said('Why; empty when none was given.', ''),
          hash: said('SHA-256 of what was signed, hexadecimal.', story053.sha256),
          balanced: flag('Whether it was balanced then.', true),
        }),
      )
      .openapi({ description: 'The oldest first.' }),
    changedSince: flag('Whether something has changed since the last sign-off.', false),
  })
  .openapi('StatementDto', {
    description: "A bank's statement of one account, and how its rows are matched.",
  })

export const statementListDto = listOf('StatementListDto', 'A page of statements.', statementDto)

const lineDto = z
  .object({
    n: orNull(z.int(), 'The number of the row in its file, from 1; null for a payment without a row.', 1),
    date: z.iso.date().openapi(shown('The date, as the bank books it.', storyRow?.date)),
    at: orNull(z.iso.datetime(), 'The time; null when the bank gives the date alone.', storyRow?.at),
    direction: z.enum(['credit', 'debit']).openapi(shown('Whether money came or went.', 'credit')),
    amount: said('Đồng.', story.transactionAmount),
    references: z.array(z.string()).openapi({ description: "The bank's codes." }),
    text: said('The text of the bank.', story.notice),
    bucket: z.enum(LINE_BUCKETS).openapi(shown('Where it stands.', 'matched')),
    rule: orNull(z.enum(RULES), 'By what it was matched; `decided`: by a person.', 'reference'),
    paymentId: orNull(z.string(), 'Its payment. No other row has it.', story.paymentId),
    proposedPaymentId: orNull(z.string(), 'The payment that a person may accept.', null),
    otherRow: orNull(
      z.string(),
      'The row that it repeats, takes back or is taken back by: the id of a statement, a slash and a number.',
      null,
    ),
    decidedBy: orNull(z.string(), 'Who has decided it.', null),
    decidedAt: orNull(z.iso.datetime(), 'When it was decided.', null),
  })
  .openapi('StatementRowDto', { description: 'A row of a statement, or a payment that no row has.' })

export const rowsDto = z
  .object({
    data: z.array(lineDto).openapi({ description: 'Rows by their number, payments by their time.' }),
    next: z.string().nullable().openapi(shown('The `cursor` of the next page; null at the end.', null)),
  })
  .openapi('StatementRowsDto', { description: 'A page of rows. It may have fewer than `limit`.' })

const accountDayDto = z
  .object({
    account: said('The account, without spaces, dots and dashes.', story.bankAccountNumber),
    ...sums,
    statements: z.array(z.string()).openapi({ description: 'The ids of the statements that have the day.' }),
  })
  .openapi('AccountDayDto', {
    description: 'One day of an account: what the bank says, and what the hub says.',
  })

export const dayDto = z
  .object({
    date: z.iso.date().openapi(shown('The day.', story053.from)),
    zone: said('The time zone of the day.', story053.zone),
    data: z.array(accountDayDto).openapi({ description: 'The accounts.' }),
  })
  .openapi('ReconciliationDto', { description: 'A day against the bank.' })

/** A line as the API writes it. */
export function toLineDto({ at, decidedAt, amount, ...line }: FlatLine): z.input<typeof lineDto> {
  const time = (ms: number | undefined) => (ms === undefined ? null : isoInstant(ms))
  return {
    ...line,
    ...{ n: line.n ?? null, at: time(at), amount: String(amount), decidedAt: time(decidedAt) },
    references: [...line.references],
    // The storage has one of the rules.
    rule: (line.rule ?? null) as z.input<typeof lineDto>['rule'],
    ...{ paymentId: line.paymentId ?? null, proposedPaymentId: line.proposedPaymentId ?? null },
    ...{ otherRow: line.otherRow ?? null, decidedBy: line.decidedBy ?? null },
  }
}
