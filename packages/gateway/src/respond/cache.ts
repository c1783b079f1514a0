/** Values that are forgotten as room is needed. */
export interface Cache<Value> {
  get (key: string): Value | undefined
  set (key: string, value: Value): unknown
}
