/** How the client wants what the path leads to. `file`: as a browser does. */
export type Format =
  'file' | 'raw' | 'car' | 'tar' | 'json' | 'cbor' | 'dag-json' | 'dag-cbor' | 'ipns-record'
