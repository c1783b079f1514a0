/** What is done to the elements of a frame before it is compressed. */
export interface Filter {
  kind: 'delta' | 'shuffle'
  width: Width
}

/** Bytes of an element. Bytes at the end of a frame that make no element stay as they are. */
export type Width = 1 | 2 | 3 | 4 | 8
