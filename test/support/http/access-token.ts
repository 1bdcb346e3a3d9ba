import { z } from 'zod'

const schema = z.object({ accessToken: z.string() })

/** Logs a partner in at a hub, and resolves with the access token. */
export async function accessTokenOf(
  http: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<string> {
  const response = await fetch(`${http}/api/v1/partner/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret }),
  })
  return schema.parse(await response.json()).accessToken
}
