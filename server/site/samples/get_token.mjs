// Gets an access token: one hour long it goes with every other request, then it is refreshed.
import { post } from './hub.mjs'

await post('/auth/token', { clientId: '{{CLIENT_ID}}', clientSecret: '{{CLIENT_SECRET}}' })
