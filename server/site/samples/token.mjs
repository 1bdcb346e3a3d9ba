// Gets an access token: one hour long it goes with every other request, then it is refreshed.
const response = await fetch('{{HUB}}/api/v1/partner/auth/token', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ clientId: '{{CLIENT_ID}}', clientSecret: '{{CLIENT_SECRET}}' }),
  signal: AbortSignal.timeout(10_000),
})
const answer = await response.text()
if (response.ok) {
  console.log(answer)
} else {
  console.error(answer)
  process.exitCode = 1
}
