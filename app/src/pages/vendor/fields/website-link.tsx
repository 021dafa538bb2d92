import { Anchor } from '@mantine/core';

interface WebsiteLinkProps {
  href: string;
  /** Words of the link; by default what a click does. */
  text?: string;
}

/** A link to the site of a vendor, in a window of its own. */
export const WebsiteLink = ({ href, text = 'Open the website' }: WebsiteLinkProps) => (
  <Anchor href={href} target="_blank" rel="noopener noreferrer" className="field-link">
    {text}
  </Anchor>
);
