/** Client of the service at identity providers. */
export const CLIENT = { clientId: 'compliance', clientSecret: 'client-secret-0123456789' };

let browserCount = 0;

interface Request {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/**
 * A browser without pages: follows redirects, and keeps the cookies of each origin.
 * @param address its address for a server with `trustProxy: 1`; by default that of no other browser
 */
export function createBrowser(address = `198.18.${Math.floor((browserCount += 1) / 250)}.${browserCount % 250}`) {
  const cookies = new Map<string, Map<string, string>>();
  const jar = (url: string) => {
    const { origin } = new URL(url);
    return cookies.get(origin) ?? cookies.set(origin, new Map()).get(origin) ?? new Map<string, string>();
  };

  async function get(url: string, { headers, ...request }: Request = {}): Promise<Response> {
    const cookie = [...jar(url)].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { 'X-Forwarded-For': address, ...headers, cookie },
      ...request,
    });
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(header)) jar(url).delete(name);
      else jar(url).set(name, value);
    }
    return response;
  }

  return {
    get,
    cookies: (url: string) => Object.fromEntries(jar(url)),
    setCookie: (url: string, name: string, value: string) => void jar(url).set(name, value),
    /** Follows redirects until a URL matches, which is not opened, or until a response is not a redirect. */
    async follow(start: string, stopAt: (url: URL) => boolean = () => false) {
      let url = new URL(start);
      for (let redirects = 0; redirects < 15; redirects += 1) {
        if (stopAt(url)) return { url, response: undefined };
        const response = await get(url.href);
        const location = response.headers.get('location');
        if (location === null) return { url, response };
        url = new URL(location, url);
      }
      throw new Error(`${start}: too many redirects`);
    },
  };
}
