/** An email, which a narrow column breaks before its "@". */
export function Email({ email }: { email: string }) {
  const [name, ...domain] = email.split('@');
  return (
    <span className="email">
      {name}
      <wbr />
      {domain.length > 0 && `@${domain.join('@')}`}
    </span>
  );
}
