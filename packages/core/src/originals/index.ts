/**
 * @packageDocumentation
 *
 * The originals of compressed files, for peers that know only the CIDs of the uncompressed ones. Nothing is stored
 * twice: an index says where in the compressed file each block of the original is, and the block is decompressed when
 * somebody asks for it. Every block is compared with its CID before it is handed out.
 *
 * {@link Originals} keeps the index, of files that are linked to their originals. {@link DerivedBlockstore} answers
 * from it.
 *
 * @example Serve originals with Helia
 *
 * ```typescript
 * import { ipfsz } from '@ipfsz/core'
 * import { DerivedBlockstore, Originals } from '@ipfsz/core/originals'
 * import { MemoryBlockstore } from 'blockstore-core'
 * import { MemoryDatastore } from 'datastore-core'
 * import { createHeliaLight } from 'helia'
 *
 * const blockstore = new MemoryBlockstore()
 * const datastore = new MemoryDatastore()
 * const helia = createHeliaLight({ blockstore: new DerivedBlockstore(blockstore, { datastore }) })
 *
 * const fs = ipfsz({ blockstore, datastore })
 * const cid = await fs.addBytes(new Uint8Array(5_000_000), { link: true })
 *
 * for (const { original } of await new Originals({ blockstore, links: datastore, datastore }).add(cid)) {
 *   console.info(original.toString(), await helia.blockstore.has(original))
 * }
 * ```
 */

export { ORIGINAL_LAYOUTS } from './contract.ts'
export { DerivedBlockstore } from './derived-blockstore.ts'
export { importDag } from './import-dag.ts'
export { Originals } from './originals.ts'
export type { AddOriginalsOptions, OriginalsComponents, OriginalsInit, PruneOriginalsOptions } from './contract.ts'
export type { DerivedBlockstoreInit } from './derived-init.ts'
export type { ImportDagOptions, ImportedDag, ImportedFile } from './import-dag.ts'
export type { OriginalsDatastore } from './original-index.ts'
export type { Original } from './records.ts'
