import type { Answer } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'
import type { createValidators } from '../../../support/http/answer-check.ts'
import { type Description, type Operation, routedPath } from '../../../support/http/openapi.ts'
import { parseJson } from '../../../support/parse-json.ts'
import type { Step } from './plan.ts'
import { toWire, type Wire } from './wire.ts'
import type { World } from './world.ts'

/**
 * Refusals that change something all the same, each with what and why. Every other answer of 400 and above has
 * written nothing and shown nothing.
 */
const CHANGED_BY: Readonly<Record<number, { database?: string; screens?: string }>> = {
  40010: { database: 'a wrong code burns the right one', screens: 'which leaves the screen' },
  40107: { database: "a refresh token's reuse revokes its family" },
  40906: { database: 'the command took a number', screens: 'it was tried to beep' },
  40905: { database: 'the command took a number', screens: 'it was tried to show the code' },
  50401: { database: 'the command took a number', screens: 'a code was sent and taken back, or a beep' },
}

/** What is answered before the fields of a body have been looked at, and that they are wrong. */
const BEFORE_BODY = /^(4000[012]|401\d\d|40400|40500|41300|41500|42900)$/

/** Where the hub knows more than the schema, and may refuse what that accepts: a state, a day that is none. */
const BEYOND_SCHEMA: Readonly<Record<string, readonly string[]>> = {
  createDynamicQr: ['qrcode', 'billNumber'],
  reportPayment: ['payDate'],
  updateDeviceSettings: ['volume', 'lang'],
  replayEvents: ['since', 'until'],
}

/** The device that hears without ever saying that it has done: only about it may the hub answer 504. */
const SILENT = 'SB-0005'
const WAIT_FOR_DEVICES = ['sendVerificationCode', 'testDevice']
/** The hub waits so long for a device that is silent, or twice so long. */
const SILENCE_MS = 5_000
/** Between requests, so that the limit of requests does not hide the rest. */
const PAUSE_MS = 20

export interface Performer {
  /** Does a step; throws when an answer, or what it left behind, is not as it must be. */
  perform(step: Step): Promise<void>
}

/** Does steps in one world. Answers are held against the description by `api.request` itself. */
export function createPerformer(
  world: World,
  { description, validate }: { description: Description; validate: ReturnType<typeof createValidators> },
  onAnswer: (answer: Answer) => void,
): Performer {
  const { api } = world
  const sent: Wire[] = []

  /** Winds the clock for a request that waits for a device. */
  async function answerTo({ method, path, headers, body }: Wire): Promise<Answer> {
    let answer: Answer | undefined
    let failure: unknown
    const asked = api.request(method, path, { headers, body }).then(
      (value) => {
        answer = value
      },
      (error: unknown) => {
        failure = error
      },
    )
    for (let turn = 0; turn < 20 && !answer && failure === undefined; turn += 1) await settle()
    for (let turn = 0; turn < 2 && !answer && failure === undefined; turn += 1)
      await api.clock.wind(SILENCE_MS)
    await asked
    await settle()
    if (answer) return answer
    throw failure
  }

  async function request(wire: Wire) {
    await api.clock.wind(PAUSE_MS)
    const before = world.look()
    const answer = await answerTo(wire)
    const after = world.look()
    onAnswer(answer)
    const problem = problemOf(wire, answer, before, after)
    if (problem)
      throw new Error(
        `${shown(wire)} was answered with ${answer.status} ${JSON.stringify(answer.body)}: ${problem}`,
      )
    remember(answer)
  }

  function problemOf(
    wire: Wire,
    answer: Answer,
    before: ReturnType<World['look']>,
    after: ReturnType<World['look']>,
  ): string | undefined {
    const { code, details = [] } = Object(answer.body)
    const operation = operationOf(wire)
    if (answer.status >= 500 && !isSilence(wire, code)) return 'the hub itself failed'
    const allowed = changesAllowed(wire, operation, answer)
    if (after.database !== before.database && !allowed.database) return 'it has written something'
    if (after.heard !== before.heard && !allowed.screens) return 'it was heard by a device'
    return operation && wire.body !== undefined
      ? disagreement(operation, wire.body, code, details)
      : undefined
  }

  /** What an answer may have left behind: nothing, when it refuses, repeats an answer, or only reads. */
  function changesAllowed(
    wire: Wire,
    operation: Operation | undefined,
    { status, headers, body }: Answer,
  ): { database?: string; screens?: string } {
    if (headers.has('Idempotent-Replayed')) return {}
    const { code } = Object(body)
    if (status < 400)
      return operation && operation.method !== 'GET' ? { database: 'done', screens: 'done' } : {}
    const isKept =
      wire.headers['Idempotency-Key'] !== undefined &&
      operation?.parameters.some(({ name }) => name === 'Idempotency-Key') &&
      [400, 404, 409].includes(status) &&
      !BEFORE_BODY.test(String(code))
    return { ...(isKept && { database: 'the answer is kept under its key' }), ...CHANGED_BY[code] }
  }

  /** A body that the schema refuses is called wrong, one that it accepts is not. */
  function disagreement(
    operation: Operation,
    body: string | Uint8Array,
    code: unknown,
    details: { field: string }[],
  ): string | undefined {
    const schema = operation.requestBody?.content['application/json']?.schema
    if (!schema || typeof body !== 'string') return undefined
    const value = parseJson(body)
    if (value === undefined) return undefined
    const problem = validate.problem(schema, value)
    if (problem)
      return BEFORE_BODY.test(String(code)) ? undefined : `it was not refused, though the body ${problem}`
    // Ill-formed Unicode is refused wherever text is, see text-rules.ts.
    if (code !== 40001 || !body.isWellFormed() || /\\ud[89a-f]/i.test(body)) return undefined
    const beyond = ['Idempotency-Key', ...(BEYOND_SCHEMA[operation.operationId] ?? [])]
    return details.every(({ field }) => beyond.includes(field))
      ? undefined
      : 'the schema has nothing against the body'
  }

  function operationOf(wire: Wire): Operation | undefined {
    return description.at(pathOf(wire)).find((one) => one.method === wire.method)
  }

  function isSilence(wire: Wire, code: unknown): boolean {
    const waits = WAIT_FOR_DEVICES.includes(operationOf(wire)?.operationId ?? '')
    return code === 50401 && waits && `${pathOf(wire)} ${wire.body}`.includes(SILENT)
  }

  /** What an answer tells can be used by later requests. */
  function remember({ body }: Answer) {
    const told = Object(body)
    world.remember('storeId', told.store?.id ?? told.storeId)
    world.remember('terminalID', told.store?.terminalID)
    world.remember('billNumber', told.billNumber)
    if (told.secret !== undefined) world.remember('webhookId', told.id)
    world.remember('refreshToken', told.refreshToken)
    world.remember('accessToken', told.accessToken)
  }

  return {
    async perform(step) {
      switch (step.kind) {
        case 'request': {
          const wire = toWire(step, world)
          sent.push(wire)
          return request(wire)
        }
        case 'again': {
          const wire = sent[step.at % sent.length]
          return wire && request(wire)
        }
        case 'wind':
          return api.clock.wind(step.ms)
        case 'device': {
          const device = world.devices[step.at]
          if (step.act === 'leave') device?.leave()
          else await device?.connect()
          return settle()
        }
      }
    },
  }
}

function pathOf({ path }: Wire): string {
  return routedPath(`http://localhost${path}`)
}

function shown({ method, path, headers, body }: Wire): string {
  const text = typeof body === 'string' ? body : body && Buffer.from(body).toString('latin1')
  return `${method} ${path} ${JSON.stringify(headers)} ${text ?? ''}`.slice(0, 4_000)
}
