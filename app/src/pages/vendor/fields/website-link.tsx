interface WebsiteLinkProps {
  href: string;
  /** Words of the link; by default what a click does. */
  text?: string;
}

/** A link to the site of a vendor, in a window of its own. */
export const WebsiteLink = ({ href, text = 'Open the website' }: WebsiteLinkProps) => (
  <a href={href} target="_blank" rel="noopener noreferrer" className="field-link">
    {text}
  </a>
);
