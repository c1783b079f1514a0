/**
 * @packageDocumentation
 *
 * Writes files and directories of the repo into CARs, and imports CARs.
 *
 * @example
 *
 * ```ts
 * import { exportCar, importCars } from '@ipfsz/node/car'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * const other = { ...context, repo: 'other' }
 * await exportCar(context, ['docs'], 'docs.car')
 * await importCars(other, [{ name: 'docs.car', path: 'docs.car' }])
 * ```
 */
export { exportCar } from './export-car.ts'
export { importCars } from './import-car.ts'
export type { CarRoot, ExportCarOptions, ExportedCar } from './export-car.ts'
export type { CarSource, ImportCarOptions, ImportedCars, ImportedRoot } from './import-car.ts'
