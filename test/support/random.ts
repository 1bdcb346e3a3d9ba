export { randomFrom } from '../../simulator/platform/seeded-random.ts'
