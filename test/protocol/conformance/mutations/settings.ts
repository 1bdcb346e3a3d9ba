import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')

/** The choice that the tests hold to. It was made before anybody saw what the kit finds. */
export const SEED = 1
export const COUNT = 60
