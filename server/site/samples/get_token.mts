// Gets an access token. The other samples do without: their client gets its own, and refreshes it.
import { hub, print } from './hub.mts'

print(await hub.getAccessToken())
