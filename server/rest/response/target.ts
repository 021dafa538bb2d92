/** Content type that Koa derives from `json`. The constant saves the lookup for each response. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** Target of a response: the Koa context, or a recorded response. */
export interface ResponseTarget {
  status: number;
  body: unknown;
  set(name: string, value: string): void;
}

export function setJson(target: ResponseTarget, value: unknown): void {
  target.set('Content-Type', JSON_CONTENT_TYPE);
  target.body = JSON.stringify(value);
}

/** Sets `Location` to the path of an item. */
export const setLocation = (target: ResponseTarget, location: string, item: unknown): void =>
  target.set(
    'Location',
    location.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(getField(item, name))),
  );

/** Returns a field of an object, or undefined if the field or the object is missing. */
export function getField(output: unknown, name: string): unknown {
  return typeof output === 'object' && output !== null ? Reflect.get(output, name) : undefined;
}
