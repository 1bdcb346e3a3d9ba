import type { OpenAPIHono } from '@hono/zod-openapi'
import { endpoint } from '../http/guards/endpoint.ts'
import type { Guards } from '../http/guards/guards.ts'
import { statementExamples as examples } from '../http/openapi/examples/statements.ts'
import { csvResponse, wantsCsv } from '../http/response/csv.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { zonedTime } from '../platform/time/zoned-time.ts'
import { byPartner } from '../security/actor.ts'
import * as dto from './dto.ts'
import { dayFile, flatLine, flatPages, rowsFile } from './files.ts'
import type { ReconciliationVerbs } from './reconcile.ts'
import type { ShownStatement } from './show-statement.ts'
import { toDayJson, toStatementJson } from './to-json.ts'

const tag = 'Partner Statement'
const NAME = { 'Content-Disposition': 'FileName' } as const
const CSV =
  'With `Accept: text/csv` you get all of them in one file, whose last line is `# rows,` and their number.'

/** A partner knows its own id. */
function toDto(shown: ShownStatement) {
  const { clientId: _, ...statement } = toStatementJson(shown)
  return statement
}

type Routes = (app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: ReconciliationVerbs) => void

/** The endpoints under /partner/statement, and the day against the bank. */
export const reconciliationRoutes: Routes = (...to) => {
  for (const add of [statements, rowsAndDays]) add(...to)
}

const statements: Routes = (app, guards, verbs) => {
  endpoint(app, guards.partnerFile, {
    route: ['post', '/partner/statement'],
    ...{ tag, operationId: 'importStatement', summary: 'Import a statement' },
    description: [
      "Imports your bank's statement of one account, and matches its rows with the payments: CSV by a saved profile, or camt.053 (001.02 to 001.13). It changes no payment, bill, announcement or total.",
      'At most 20 MB and 100,000 rows, each of at most 8 KiB. A file that can not be read imports nothing, and `details` has the line and the reason. The same file again is `40910` with the id of the first one.',
    ],
    query: dto.importQuery,
    files: { 'application/xml': examples.importStatement.xml, 'text/csv': examples.importStatement.csv },
    answer: dto.statementDto,
    status: 201,
    answered: 'The statement.',
    errors: ['STATEMENT_UNREADABLE', 'STATEMENT_KNOWN', 'STATEMENT_UNDER_WAY'],
    examples: examples.importStatement,
    async handle({ c, clientId, query: { account, profile } }) {
      const bytes = c.get('file')
      const id = await verbs.importStatement(byPartner(clientId), { clientId, account, profile, bytes })
      return toDto(await verbs.showStatement(clientId, id))
    },
  })

  endpoint(app, guards.partner, {
    route: ['get', '/partner/statement'],
    ...{ tag, operationId: 'listStatements', summary: 'List statements' },
    description: [
      'Your statements, newest first, each as it was when it was last looked at. To read the whole list, send `next` as `cursor` until it is null.',
    ],
    query: dto.listQuery,
    answer: dto.statementListDto,
    answered: 'A page of statements.',
    examples: examples.listStatements,
    async handle({ clientId, query }) {
      const { rows, next } = await verbs.listStatements(clientId, query)
      return { data: rows.map(toDto), next: next ?? null }
    },
  })

  endpoint(app, guards.partner, {
    route: ['get', '/partner/statement/{id}'],
    ...{ tag, operationId: 'getStatement', summary: 'Get a statement' },
    description: [
      'A statement of yours, with its rows by bucket, the payments of its days, and whether both are balanced. Callbacks that came after the import count.',
    ],
    params: dto.statementParams,
    answer: dto.statementDto,
    answered: 'The statement.',
    errors: ['STATEMENT_NOT_FOUND'],
    examples: examples.getStatement,
    handle: async ({ clientId, params }) => toDto(await verbs.showStatement(clientId, params.id)),
  })
}

const rowsAndDays: Routes = (app, guards, verbs) => {
  endpoint(app, guards.partner, {
    route: ['get', '/partner/statement/{id}/rows'],
    ...{ tag, operationId: 'statementRows', summary: 'List the rows of a statement' },
    description: [
      'The rows of a statement, each with its bucket and its payment. `bucket=hub_only` has the payments of its days that no row has. To read all, send `next` as `cursor` until it is null.',
      CSV,
    ],
    params: dto.statementParams,
    query: dto.rowsQuery,
    answer: dto.rowsDto,
    answered: 'A page of rows; as CSV all of them.',
    answerHeaders: NAME,
    csv: examples.statementRows.csv,
    errors: ['STATEMENT_NOT_FOUND'],
    examples: examples.statementRows,
    async handle({ c, clientId, params: { id }, query: { limit, cursor, bucket, bom } }) {
      if (wantsCsv(c)) {
        const { statement, pages } = await verbs.exportRows(clientId, id, bucket)
        const { toLine, ...file } = rowsFile(statement)
        return csvResponse(c, { ...file, pages: flatPages(pages, toLine), bom }, guards.isStopping)
      }
      const { lines, next, zone } = await verbs.statementRows(clientId, id, bucket, { limit, cursor })
      const time = zonedTime(zone)
      return { data: lines.map((line) => dto.toLineDto(flatLine(line, time))), next: next ?? null }
    },
  })

  endpoint(app, guards.partner, {
    route: ['get', '/partner/payment/reconciliation'],
    ...{ tag, operationId: 'reconcileDay', summary: 'A day against the bank' },
    description: [
      'One day of your accounts: the rows of all statements that have it, and the payments of the day. An account without a statement of the day has its payments in `hub_only`.',
      CSV,
    ],
    query: dto.dayQuery,
    answer: dto.dayDto,
    answered: 'The day by account; as CSV a line for each account and bucket.',
    answerHeaders: NAME,
    csv: examples.reconcileDay.csv,
    examples: examples.reconcileDay,
    async handle({ c, clientId, query: { bom, ...asked } }) {
      const day = await verbs.dayOf(clientId, asked)
      if (!wantsCsv(c)) return toDayJson(day)
      return csvResponse(c, { ...dayFile(day), bom }, guards.isStopping)
    },
  })
}
