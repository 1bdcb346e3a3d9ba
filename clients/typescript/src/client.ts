import { type Caller, type CallInput, createCaller } from './call.ts'
import { checksum, type Payment } from './checksum.ts'
import { type Clock, systemClock } from './clock.ts'
import type { OperationName } from './errors.ts'
import type { Operations } from './generated/operations.ts'
import type { EventDto, PaymentCallbackRequestDto } from './generated/types.ts'
import { eventsOf, rowsOf, wholeCsv } from './lists.ts'
import type { CallOptions, HubClientOptions } from './options.ts'

/** Which events to read. */
export interface EventsOptions extends Pick<CallOptions, 'signal'> {
  /** The `seq` of the last event that you have; from the oldest that is kept without it. */
  after?: string | undefined
  /** All types without it. */
  types?: readonly EventDto['type'][]
  /** Whether to wait for further events; it ends at the newest when false. */
  follow?: boolean
}

type Body<Name extends OperationName> = Operations[Name]['body']
type Query<Name extends OperationName> = Operations[Name]['query'] | undefined
type Answer<Name extends OperationName> = Promise<Operations[Name]['answer']>
type Rows<Name extends OperationName> = AsyncGenerator<
  Operations[Name]['answer'] extends { data: (infer Row)[] } ? Row : never,
  void,
  undefined
>

const TIME_LIMIT_MS = 60_000
/** A hub needs up to 5 s for a code on a screen. */
const ATTEMPT_LIMIT_MS = 20_000
/** The longest wait of `readEvents`. */
const EVENT_WAIT_S = 30

/**
 * A partner's client. Each operation of the API is a method of its name. It gets and renews its tokens, and sends a request
 * again as long as that is safe and may help, within a time limit. A call rejects with a HubError, a NoAnswerError or the
 * reason of its signal.
 */
export class HubClient {
  readonly #call: Caller
  readonly #clientSecret: string
  readonly #clientId: string
  readonly #clock: Clock
  readonly #attemptLimitMs: number

  constructor({ url, clientId, clientSecret, ...options }: HubClientOptions) {
    const { clock = systemClock, attemptLimitMs = ATTEMPT_LIMIT_MS } = options
    this.#clientId = clientId
    this.#clientSecret = clientSecret
    this.#clock = clock
    this.#attemptLimitMs = attemptLimitMs
    this.#call = createCaller({
      url,
      clientId,
      clientSecret,
      clock,
      attemptLimitMs,
      timeLimitMs: options.timeLimitMs ?? TIME_LIMIT_MS,
      // In a page, fetch works as a function of the page alone.
      fetch: options.fetch ?? ((...request) => fetch(...request)),
      random: options.random ?? Math.random,
      onAttempt: options.onAttempt ?? (() => undefined),
    })
  }

  /** Gets a token. Other calls get theirs by themselves: this one is for other programs. */
  getAccessToken(options?: CallOptions) {
    const body = { clientId: this.#clientId, clientSecret: this.#clientSecret }
    return this.#send('getAccessToken', { body }, options)
  }

  /** Renews a token of `getAccessToken`. */
  refreshAccessToken(body: Body<'refreshAccessToken'>, options?: CallOptions) {
    return this.#send('refreshAccessToken', { body }, options)
  }

  /** Shows a code on the speaker's screen, for `registerDevice`. */
  sendVerificationCode(body: Body<'sendVerificationCode'>, options?: CallOptions) {
    return this.#send('sendVerificationCode', { body }, options)
  }

  /** Registers a speaker and its store, with the code on its screen. */
  registerDevice(body: Body<'registerDevice'>, options?: CallOptions) {
    return this.#send('registerDevice', { body }, options)
  }

  /** Releases a speaker: it is linked to no store. */
  unregisterDevice(body: Body<'unregisterDevice'>, options?: CallOptions) {
    return this.#send('unregisterDevice', { body }, options)
  }

  /** Locks or unlocks speakers, each separately: look at `failedDevices` of the answer. */
  updateDevicesStatus(body: Body<'updateDevicesStatus'>, options?: CallOptions) {
    return this.#send('updateDevicesStatus', { body }, options)
  }

  /** A page of speakers. `devices` goes through all. */
  listDevices(query?: Query<'listDevices'>, options?: CallOptions) {
    return this.#send('listDevices', { query }, options)
  }

  /** All speakers, newest first. */
  devices(query: Query<'listDevices'> = {}, options?: CallOptions): Rows<'listDevices'> {
    return rowsOf(query, (page) => this.listDevices(page, options))
  }

  getDevice(serial: string, options?: CallOptions) {
    return this.#send('getDevice', { path: { serial } }, options)
  }

  /** Has a speaker beep. It is not sent again when it may have beeped. */
  testDevice(serial: string, options?: CallOptions) {
    return this.#send('testDevice', { path: { serial } }, options)
  }

  getDeviceSettings(serial: string, options?: CallOptions) {
    return this.#send('getDeviceSettings', { path: { serial } }, options)
  }

  updateDeviceSettings(serial: string, body: Body<'updateDeviceSettings'>, options?: CallOptions) {
    return this.#send('updateDeviceSettings', { path: { serial }, body }, options)
  }

  /** Shows a bill's QR on the screens of its store. */
  createDynamicQr(body: Body<'createDynamicQr'>, options?: CallOptions) {
    return this.#send('createDynamicQr', { body }, options)
  }

  /**
   * Reports a payment, signed with the client secret. When it resolves, the payment is on disk. Reported again, it gets the
   * same answer and is neither counted nor spoken twice. Keep what rejects with a temporary error (`isTemporary`), and report
   * it again; all other errors need a person. A `checkSum` of your own is sent as it is.
   */
  async reportPayment(
    payment: Payment & { checkSum?: string },
    options?: CallOptions,
  ): Answer<'reportPayment'> {
    const checkSum = payment.checkSum ?? (await checksum(payment, this.#clientSecret))
    const body: PaymentCallbackRequestDto = { ...payment, checkSum }
    return this.#send('reportPayment', { body }, options)
  }

  /** A page of payments. `payments` goes through all. Without `from`, those of the last 24 hours. */
  searchPayments(query?: Query<'searchPayments'>, options?: CallOptions) {
    return this.#send('searchPayments', { query }, options)
  }

  /** All payments that a search finds, newest first. */
  payments(query: Query<'searchPayments'> = {}, options?: CallOptions): Rows<'searchPayments'> {
    return rowsOf(query, (page) => this.searchPayments(page, options))
  }

  /** All payments that a search finds, as a whole CSV file. */
  searchPaymentsCsv(query?: Query<'searchPayments'>, options?: CallOptions) {
    return this.#csv('searchPayments', query, options)
  }

  /** The payment with this code, and how far each speaker's announcement is. */
  getTransaction(ftCode: string, options?: CallOptions) {
    return this.#send('getTransaction', { path: { ftCode } }, options)
  }

  /** A page of the stores with payments on a day. `dayByStore` goes through all. */
  summarizeDay(query?: Query<'summarizeDay'>, options?: CallOptions) {
    return this.#send('summarizeDay', { query }, options)
  }

  /** All stores with payments on a day. */
  dayByStore(query: Query<'summarizeDay'> = {}, options?: CallOptions): Rows<'summarizeDay'> {
    return rowsOf(query, (page) => this.summarizeDay(page, options))
  }

  /** All stores with payments on a day, as a whole CSV file. */
  summarizeDayCsv(query?: Query<'summarizeDay'>, options?: CallOptions) {
    return this.#csv('summarizeDay', query, options)
  }

  /**
   * Imports a bank's statement: XML is camt.053, and everything else CSV, which needs a profile. A file that was imported
   * before is 40910.
   */
  importStatement(
    file: string | Uint8Array<ArrayBuffer>,
    query?: Query<'importStatement'>,
    options?: CallOptions,
  ) {
    const head = typeof file === 'string' ? file.slice(0, 64) : new TextDecoder().decode(file.subarray(0, 64))
    const type = /^[\ufeff\s]*</.test(head) ? 'application/xml' : 'text/csv'
    return this.#send('importStatement', { query, file: { type, content: file } }, options)
  }

  /** A page of statements. `statements` goes through all. */
  listStatements(query?: Query<'listStatements'>, options?: CallOptions) {
    return this.#send('listStatements', { query }, options)
  }

  /** All statements, newest first. */
  statements(query: Query<'listStatements'> = {}, options?: CallOptions): Rows<'listStatements'> {
    return rowsOf(query, (page) => this.listStatements(page, options))
  }

  getStatement(id: string, options?: CallOptions) {
    return this.#send('getStatement', { path: { id } }, options)
  }

  /** A page of a statement's rows. `rowsOfStatement` goes through all. */
  statementRows(id: string, query?: Query<'statementRows'>, options?: CallOptions) {
    return this.#send('statementRows', { path: { id }, query }, options)
  }

  /** All rows of a statement, of a bucket or of all. */
  rowsOfStatement(
    id: string,
    query: Query<'statementRows'> = {},
    options?: CallOptions,
  ): Rows<'statementRows'> {
    return rowsOf(query, (page) => this.statementRows(id, page, options))
  }

  /** All rows of a statement, and the payments without one, as a whole CSV file. */
  statementRowsCsv(id: string, query?: Query<'statementRows'>, options?: CallOptions) {
    return this.#csv('statementRows', query, options, { id })
  }

  /** A day of the accounts: what the bank says, what the hub says, and whether both agree. */
  reconcileDay(query?: Query<'reconcileDay'>, options?: CallOptions) {
    return this.#send('reconcileDay', { query }, options)
  }

  /** The same as a whole CSV file. */
  reconcileDayCsv(query?: Query<'reconcileDay'>, options?: CallOptions) {
    return this.#csv('reconcileDay', query, options)
  }

  /** A page of stores. `stores` goes through all. */
  listStores(query?: Query<'listStores'>, options?: CallOptions) {
    return this.#send('listStores', { query }, options)
  }

  /** All stores, newest first. */
  stores(query: Query<'listStores'> = {}, options?: CallOptions): Rows<'listStores'> {
    return rowsOf(query, (page) => this.listStores(page, options))
  }

  getStore(storeId: string, options?: CallOptions) {
    return this.#send('getStore', { path: { storeId } }, options)
  }

  updateStore(storeId: string, body: Body<'updateStore'>, options?: CallOptions) {
    return this.#send('updateStore', { path: { storeId }, body }, options)
  }

  /** A page of events, the oldest first. `events` goes on by itself. */
  readEvents(query?: Query<'readEvents'>, options: CallOptions = {}) {
    const waitMs = Number(query?.wait ?? 0) * 1_000
    const attemptLimitMs = options.attemptLimitMs ?? this.#attemptLimitMs + waitMs
    return this.#send('readEvents', { query }, { ...options, attemptLimitMs })
  }

  /**
   * Your events, each exactly once, from `after` on. It goes on over restarts of the hub and of its network, until the loop
   * ends or the signal aborts. Store `seq` together with what you make of the event, and give it as `after` at the next
   * start. It throws 41000 when the events behind `after` were deleted. Later hubs may have more types.
   */
  events({ after, types, follow = true, signal }: EventsOptions = {}): Rows<'readEvents'> {
    const fixed = {
      limit: '100',
      wait: follow ? String(EVENT_WAIT_S) : '0',
      ...(types && { types: types.join() }),
    }
    const options = { timeLimitMs: Number.POSITIVE_INFINITY, ...(signal && { signal }) }
    const read = (last: string | undefined) =>
      this.readEvents(last === undefined ? fixed : { ...fixed, after: last }, options)
    return eventsOf(read, { after, follow, clock: this.#clock, signal })
  }

  /** The answer has the secret of the webhook, which no other answer has. */
  createWebhook(body: Body<'createWebhook'>, options?: CallOptions) {
    return this.#send('createWebhook', { body }, options)
  }

  /** All webhooks: there are at most 10. */
  listWebhooks(options?: CallOptions) {
    return this.#send('listWebhooks', {}, options)
  }

  getWebhook(id: string, options?: CallOptions) {
    return this.#send('getWebhook', { path: { id } }, options)
  }

  changeWebhook(id: string, body: Body<'changeWebhook'>, options?: CallOptions) {
    return this.#send('changeWebhook', { path: { id }, body }, options)
  }

  deleteWebhook(id: string, options?: CallOptions) {
    return this.#send('deleteWebhook', { path: { id }, read: () => undefined }, options)
  }

  /** A new secret: for 24 hours, each delivery is signed with both. */
  rotateWebhookSecret(id: string, options?: CallOptions) {
    return this.#send('rotateWebhookSecret', { path: { id } }, options)
  }

  /** Asks for a `webhook.test`. It is not sent again when it may be on its way. */
  testWebhook(id: string, options?: CallOptions) {
    return this.#send('testWebhook', { path: { id } }, options)
  }

  /** A page of deliveries. `deliveries` goes through all. */
  listDeliveries(id: string, query?: Query<'listDeliveries'>, options?: CallOptions) {
    return this.#send('listDeliveries', { path: { id }, query }, options)
  }

  /** All deliveries of a webhook, newest first. */
  deliveries(id: string, query: Query<'listDeliveries'> = {}, options?: CallOptions): Rows<'listDeliveries'> {
    return rowsOf(query, (page) => this.listDeliveries(id, page, options))
  }

  /** Has events sent again. */
  replayEvents(id: string, body: Body<'replayEvents'>, options?: CallOptions) {
    return this.#send('replayEvents', { path: { id }, body }, options)
  }

  #send<Name extends OperationName>(
    name: Name,
    input: CallInput & { body?: Body<Name>; query?: Query<Name> },
    options?: CallOptions,
  ): Answer<Name> {
    // The hub is tested against the description that the types are made of.
    return this.#call(name, input, options) as Answer<Name>
  }

  #csv<Name extends OperationName>(
    name: Name,
    query: Query<Name>,
    options?: CallOptions,
    path?: Record<string, string>,
  ): Promise<string> {
    const input = { path, query, accept: 'text/csv', read: wholeCsv }
    return this.#call(name, input, options) as Promise<string>
  }
}
