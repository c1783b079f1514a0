/** The options of ipfs-unixfs-importer that decide which blocks are made of a file that is not compressed. */
export const SHAPING = [
  'rawLeaves', 'reduceSingleLeafToSelf', 'chunker', 'chunkValidator', 'layout', 'bufferImporter', 'dagBuilder'
] as const
