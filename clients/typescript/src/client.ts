import { WebhookOperations } from './operations/webhooks.ts'

/**
 * A partner's client. Each operation of the API is a method of its name. It gets and renews its tokens, and sends a request
 * again as long as that is safe and may help, within a time limit. A call rejects with a HubError, a NoAnswerError or the
 * reason of its signal.
 */
export class HubClient extends WebhookOperations {}
