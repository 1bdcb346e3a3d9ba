// What the samples share: a client. Save it as hub.mts beside them, and run them by Node.js 22.18 or newer.
// Once: npm pack in clients/typescript of the hub's repository, then npm install ./soundbox-hub-client-0.1.0.tgz
import { HubClient } from 'soundbox-hub-client'

/** It gets its tokens by itself, signs callbacks, and sends again what may be sent again. */
export const hub = new HubClient({
  url: '{{HUB}}',
  clientId: '{{CLIENT_ID}}',
  clientSecret: '{{CLIENT_SECRET}}',
})

export const print = (answer: unknown) => console.log(JSON.stringify(answer))
