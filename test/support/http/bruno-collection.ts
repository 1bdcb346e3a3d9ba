import { readFileSync } from 'node:fs'
import { jsonToBruV2 } from '@usebruno/lang'
import { z } from 'zod'

const SIGN_CALLBACK = new URL('./bruno-sign-callback.js', import.meta.url)

/** What the OpenAPI document can not say of a request. */
interface Recipe {
  operationId: string
  /** In Bruno's list; with hyphens, the name of its file. */
  name: string
  /** The request's body, if it is not the first example of the operation. */
  body?: object
  /** Variables that later requests need, each with its place in the body of the answer. */
  keeps?: Readonly<Record<string, string>>
  /** What is checked of the body of the answer, besides its status. */
  checks?: Readonly<Record<string, string>>
  /** Runs before the request. */
  before?: string
  tests?: string
}

const TOKENS = { accessToken: 'accessToken', refreshToken: 'refreshToken' }

/** In the order in which they are sent. */
const RECIPES: readonly Recipe[] = [
  { operationId: 'getAccessToken', name: 'Get token', keeps: TOKENS, checks: { tokenType: 'eq Bearer' } },
  { operationId: 'refreshAccessToken', name: 'Refresh token', keeps: TOKENS },
  { operationId: 'sendVerificationCode', name: 'Send code', checks: { expiresIn: 'eq 300' } },
  {
    operationId: 'registerDevice',
    name: 'Register device',
    keeps: { storeId: 'store.id' },
    checks: { 'device.connected': 'eq true' },
    tests: `test('the speaker is linked to the store', function () {
  const body = res.getBody()
  expect(body.device.stores.map((store) => store.id)).to.include(body.store.id)
})`,
  },
  { operationId: 'getDevice', name: 'Device detail', checks: { serial: 'eq {{serial}}' } },
  {
    operationId: 'createDynamicQr',
    name: 'Create dynamic QR',
    before: `// A bill is paid once: each sending is for another one.
bru.setVar('billNumber', 'HD' + Date.now())`,
    checks: { qrcode: 'isString' },
  },
  {
    operationId: 'reportPayment',
    name: 'Payment callback',
    before: readFileSync(SIGN_CALLBACK, 'utf8').trimEnd(),
    checks: { billNumber: 'eq {{billNumber}}' },
  },
  {
    operationId: 'getTransaction',
    name: 'Transaction',
    checks: { ftCode: 'eq {{ftCode}}' },
    tests: `test('the speaker was told', function () {
  const serials = res.getBody().announcements.map((announcement) => announcement.deviceSerial)
  expect(serials).to.include(bru.getEnvVar('serial'))
})`,
  },
  { operationId: 'updateStore', name: 'Update store', checks: { terminalName: 'eq Quầy 1' } },
  { operationId: 'testDevice', name: 'Test announcement' },
  {
    operationId: 'updateDeviceSettings',
    body: { volume: 80, lang: 'vi' },
    name: 'Update device settings',
    checks: { 'desired.volume': 'eq 80' },
  },
  { operationId: 'getDeviceSettings', name: 'Device settings', checks: { 'desired.volume': 'eq 80' } },
  {
    operationId: 'updateDevicesStatus',
    name: 'Update device status',
    body: { devices: [{ deviceSerial: '{{serial}}', active: true }] },
    checks: { successCount: 'eq 1', failedDevices: 'length 0' },
  },
  { operationId: 'searchPayments', name: 'Search payments', checks: { data: 'length 1' } },
  { operationId: 'summarizeDay', name: 'Day summary' },
  { operationId: 'readEvents', name: 'Events', keeps: { nextEvent: 'next' } },
  { operationId: 'listDevices', name: 'List devices', checks: { data: 'length 1' } },
  { operationId: 'listStores', name: 'List stores', checks: { data: 'length 1' } },
  { operationId: 'getStore', name: 'Get store', checks: { id: 'eq {{storeId}}' } },
  { operationId: 'unregisterDevice', name: 'Unregister device' },
  {
    operationId: 'createWebhook',
    name: 'Create webhook',
    keeps: { webhookId: 'id' },
    checks: { state: 'eq enabled' },
  },
  { operationId: 'listWebhooks', name: 'List webhooks' },
  { operationId: 'getWebhook', name: 'Get webhook', checks: { id: 'eq {{webhookId}}' } },
  { operationId: 'changeWebhook', name: 'Change webhook' },
  { operationId: 'testWebhook', name: 'Test webhook' },
  { operationId: 'listDeliveries', name: 'List deliveries' },
  { operationId: 'replayEvents', name: 'Replay events', body: { since: '{{payDate}}' } },
  { operationId: 'rotateWebhookSecret', name: 'Rotate webhook secret' },
  { operationId: 'deleteWebhook', name: 'Delete webhook' },
  {
    operationId: 'importStatement',
    name: 'Import statement',
    keeps: { statementId: 'id' },
    checks: { state: 'eq open' },
  },
  { operationId: 'listStatements', name: 'List statements' },
  { operationId: 'getStatement', name: 'Get statement', checks: { id: 'eq {{statementId}}' } },
  { operationId: 'statementRows', name: 'Statement rows' },
  { operationId: 'reconcileDay', name: 'Reconcile day' },
]

/** The variables that take the place of the examples' values, by the names of fields and parameters. */
const VARIABLES: Readonly<Record<string, string>> = {
  ...{ clientId: 'clientId', clientSecret: 'clientSecret', refreshToken: 'refreshToken' },
  ...{ deviceSerial: 'serial', serial: 'serial', verificationCode: 'verificationCode' },
  ...{ terminalID: 'terminalId', bankCode: 'bankCode', storeId: 'storeId' },
  ...{ billNumber: 'billNumber', transactionAmount: 'amount', payDate: 'payDate', ftCode: 'ftCode' },
  ...{ id: 'webhookId', url: 'webhookUrl', after: 'nextEvent' },
}

const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  example: z.unknown().optional(),
  schema: z.object({
    example: z.unknown().optional(),
    examples: z.array(z.unknown()).optional(),
    default: z.unknown().optional(),
  }),
})
const operation = z.object({
  operationId: z.string(),
  description: z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(z.union([parameter, z.object({ $ref: z.string() })])).default([]),
  requestBody: z
    .object({
      content: z.object({
        'application/json': z
          .object({ examples: z.record(z.string(), z.object({ value: z.record(z.string(), z.unknown()) })) })
          .optional(),
        'application/xml': z
          .object({ examples: z.object({ file: z.object({ value: z.string() }) }) })
          .optional(),
      }),
    })
    .optional(),
  responses: z.record(z.string(), z.unknown()),
})
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

type Operation = z.infer<typeof operation> & { method: string; path: string }

/** The collection's requests by the names of their files, as an OpenAPI document and the recipes have them. */
export function brunoRequests(openApi: unknown): Map<string, string> {
  const operations = new Map<string, Operation>()
  for (const [path, item] of Object.entries(document.parse(openApi).paths))
    for (const [method, described] of Object.entries(item)) {
      const found = operation.parse(described)
      operations.set(found.operationId, { ...found, method, path })
    }
  const missing = [...operations.keys()].filter(
    (id) => !RECIPES.some(({ operationId }) => operationId === id),
  )
  if (missing.length > 0) throw new Error(`no recipe for ${missing.join(', ')}: add one`)
  return new Map(
    RECIPES.map((recipe, index) => {
      const found = operations.get(recipe.operationId)
      if (!found) throw new Error(`no operation ${recipe.operationId}: remove its recipe`)
      return [`${recipe.name.toLowerCase().replaceAll(' ', '-')}.bru`, requestOf(recipe, found, index + 1)]
    }),
  )
}

function requestOf(recipe: Recipe, operation: Operation, seq: number): string {
  const { description, method, path, parameters, requestBody, security, responses } = operation
  const body = bodyOf(recipe, requestBody)
  const xml = requestBody?.content['application/xml']?.examples.file.value
  const status = Object.keys(responses).find((code) => code.startsWith('2')) ?? ''
  const isRepeatable = parameters.some((one) => '$ref' in one && one.$ref.endsWith('/IdempotencyKey'))
  const checks = {
    ...Object.fromEntries(Object.values(recipe.keeps ?? {}).map((at) => [at, 'isString'])),
    ...recipe.checks,
  }
  const keeps = Object.entries(recipe.keeps ?? {}).map(
    ([name, at]) => `  bru.setVar('${name}', res.getBody().${at})`,
  )
  return jsonToBruV2({
    meta: { name: recipe.name, type: 'http', seq },
    http: {
      method,
      url: `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      body: xml !== undefined ? 'xml' : body === undefined ? 'none' : 'json',
      auth: security.some((scheme) => 'bearer' in scheme) ? 'inherit' : 'none',
    },
    params: parameters.flatMap((one) => ('$ref' in one || one.in === 'header' ? [] : [paramOf(one, path)])),
    ...(isRepeatable && { headers: [{ name: 'Idempotency-Key', value: '{{$guid}}', enabled: true }] }),
    ...(body && { body: { json: JSON.stringify(body, null, 2) } }),
    ...(xml !== undefined && { body: { xml } }),
    assertions: Object.entries({ status: `eq ${status}`, ...prefixed('body', checks) }).map(
      ([at, value]) => ({
        ...{ name: `res.${at}`, value, enabled: true },
      }),
    ),
    script: {
      ...(recipe.before !== undefined && { req: recipe.before }),
      ...(keeps.length > 0 && { res: [`if (res.getStatus() === ${status}) {`, ...keeps, '}'].join('\n') }),
    },
    ...(recipe.tests !== undefined && { tests: recipe.tests }),
    docs: description,
  })
}

const prefixed = (prefix: string, checks: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(checks).map(([at, value]) => [`${prefix}.${at}`, value]))

/** The body with variables. `checkSum` is left to the script that signs. */
function bodyOf({ body }: Recipe, requestBody: Operation['requestBody']): object | undefined {
  const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {})
  const { checkSum: _, ...fields } = body
    ? { ...body, checkSum: undefined }
    : { checkSum: undefined, ...example?.value }
  if (!requestBody?.content['application/json']) return undefined
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, variableOr(name, value)]))
}

const variableOr = (name: string, value: unknown) =>
  typeof value === 'string' && VARIABLES[name] !== undefined ? `{{${VARIABLES[name]}}}` : value

/** A query's parameters are off: whoever wants one switches it on. */
function paramOf({ name, in: type, example, schema }: z.infer<typeof parameter>, path: string) {
  const value = example ?? schema.example ?? schema.examples?.[0] ?? schema.default ?? ''
  if (type === 'path' && path.includes('/statement/'))
    return { name, value: '{{statementId}}', enabled: true, type }
  return { name, value: String(variableOr(name, String(value))), enabled: type === 'path', type }
}
