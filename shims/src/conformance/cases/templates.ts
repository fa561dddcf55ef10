import { strict as assert } from 'node:assert';
import { type Case, rejects } from '../kit.ts';

/** What sandboxes start from. Building one is left out: it takes an image, and minutes. */
export const TEMPLATES: readonly Case[] = [
  {
    name: 'templates: list and get',
    async run(kit) {
      const { templates } = kit.provider;
      if (!(await kit.supports('templates', () => templates.list()))) return;
      const all = await templates.list();
      kit.seen(`${all.length} templates`);
      await rejects(templates.get(kit.unique('no-template')), 'not_found');
      if (kit.template === undefined) return;
      const one = await templates.get(kit.template);
      assert.equal(one.status, 'ready');
      const isListed = all.some(({ id }) => id === one.id);
      kit.seen(isListed ? 'the template of this run is listed' : 'a public template is not listed');
    },
  },
  {
    name: 'templates: delete what is not there',
    async run(kit) {
      const { templates } = kit.provider;
      const attempt = () => templates.delete(kit.unique('no-template'));
      if (await kit.supports('templates', attempt)) await attempt();
    },
  },
  {
    name: 'create: a template that does not exist',
    async run(kit) {
      const template = kit.unique('no-template');
      const error = await rejects(kit.provider.create(kit.options({ template })), 'not_found');
      kit.seen(error.message);
    },
  },
];
