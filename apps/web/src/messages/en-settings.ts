/** The settings' frame: its list of sections, and what stands where there is nothing to open. */
export const settings = {
  title: 'Settings',
  lead: 'What holds for everybody in this organisation.',
  listLabel: 'Sections of the settings',
  noneTitle: 'Nothing to set here',
  none: (role: string) =>
    `As ${role} you change nothing for the organisation. An admin sees its people, keys and policy here.`,
  missingTitle: 'There is no such section',
  sections: {
    policy: { title: 'Policy', lead: 'Who approves what, up to how much, and for how long.' },
  },
  missing: 'The link may be old, or the section is for another role. Choose one from the list.',
};
