export { encodeLz4Frame as compress, decodeLz4Frame as decompress } from '../format/lz4-frame.ts'
