import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, watch } from 'vue';

let drawn = 0;

/** A Mermaid drawing, made in the browser in the colours of the page; until then, and without scripts, its source. */
export const Drawing = defineComponent({
  props: { source: { type: String, required: true } },
  setup(props) {
    const source = decodeURIComponent(props.source);
    const svg = ref('');
    const { isDark } = useData();
    const draw = async () => {
      const { default: mermaid } = await import('mermaid');
      mermaid.initialize({ startOnLoad: false, theme: isDark.value ? 'dark' : 'neutral' });
      drawn += 1;
      svg.value = (await mermaid.render(`drawing-${drawn}`, source)).svg;
    };
    onMounted(draw);
    watch(isDark, draw);
    return () => (svg.value === '' ? h('pre', source) : h('div', { innerHTML: svg.value }));
  },
});
