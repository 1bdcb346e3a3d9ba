/** The part of Swagger UI that this page uses. Its bundle, loaded before this script, defines the global. */
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
  // Secrets must not outlive the page.
  persistAuthorization: false,
  // It would send the document's URL to a foreign service.
  validatorUrl: null,
  syntaxHighlight: { theme: 'agate' },
  /** Uses the token of the first operation for the others. */
  responseInterceptor(response: SwaggerResponse) {
    const token = response.obj?.accessToken
    if (response.ok && /\/auth\/(token|refresh)$/.test(response.url) && typeof token === 'string')
      reference.preauthorizeApiKey('bearer', token)
    return response
  },
})
