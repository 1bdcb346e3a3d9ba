/** What this page uses of Swagger UI; its bundle, loaded before this script, leaves it as a global. */
declare const SwaggerUIBundle: (options: object) => {
  preauthorizeApiKey(scheme: string, token: string): void
}

interface SwaggerResponse {
  url: string
  ok: boolean
  /** The body, when it was JSON. */
  obj?: { accessToken?: unknown }
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

const reference = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // A secret that a reader types is gone with the page.
  persistAuthorization: false,
  // It would send the description's address elsewhere to have it looked at.
  validatorUrl: null,
  syntaxHighlight: { theme: 'agate' },
  /** Who has got a token by the first operation is logged in for the others. */
  responseInterceptor(response: SwaggerResponse) {
    const token = response.obj?.accessToken
    if (response.ok && /\/auth\/(token|refresh)$/.test(response.url) && typeof token === 'string')
      reference.preauthorizeApiKey('bearer', token)
    return response
  },
})
