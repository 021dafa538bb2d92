/** Nonce of this response, which the policy requires from style sheets. Editors pass it as `injectNonce`. */
export const pageNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
