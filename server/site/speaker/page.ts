import { html } from '../parts/html.ts'

/** The page of a speaker. Its script draws everything: the hub does not know which speaker it is. */
export async function speakerPage(): Promise<string> {
  const whole = await html`<!doctype html>
<html lang="vi">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#075443">
<meta name="robots" content="noindex">
<meta name="mobile-web-app-capable" content="yes">
<title>Soundbox</title>
<link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/speaker/icon-192.png">
<link rel="manifest" href="/speaker/manifest.webmanifest">
<link rel="stylesheet" href="/speaker/speaker.css">
<script src="/speaker/speaker.js" type="module"></script>
</head>
<body>
<main></main>
<noscript>The speaker needs JavaScript.</noscript>
</body>
</html>
`
  return whole.toString()
}
