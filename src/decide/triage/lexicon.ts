/**
 * Words that people use for observations, actions and places, by language. Each is part of a pattern.
 * Must not import anything.
 */

export interface Lexicon {
  /** Frequent short words that identify the language. */
  common: string;
  /** A checkable observation. */
  seen: string;
  /** Dissatisfaction without an observation. */
  vague: string;
  /** An action of the person, or a condition of the bug. */
  did: string;
  /** A part of a program. */
  part: string;
}

const en: Lexicon = {
  common: 'the|and|is|it|to|of|in|that|this|for|with|not|when|but|are|was|on|my|you|have|at|be|as|after|if|from|we',
  seen: `crash(?:e[sd]|ing)?|hangs?|hung|freezes?|frozen|stuck|blank|white (?:page|screen)|black|gr[ea]y|empty|missing|(?:is|are|was|were|gets?|got) (?:gone|lost|cut off|hidden|(?<!something (?:is|was) )wrong|ignored|dropped|deleted|replaced|refused|rejected|reset|duplicated|swapped|truncated)|lost|loses?|disappear\\w*|vanish\\w*|drops?|dropped|cuts?(?: off)?|overlaps?|overwrit\\w+|covers?|hides?|behind|truncate[sd]?|garbled|instead|nothing happens|(?:does|do|has|have) (?:nothing|no effect)|without effect|(?:does|do|did|is|are|was|were|has|have|can|could|would|will)(?:n[o']t|n’t| not| never)(?! (?:really |even |always )?(?:work|working|feel|know|understand|like|want|think|sure|satisf\\w+|happy|clear|easy|stable|good|enough|find (?:anything|what)))|cannot|can['’]?t|no longer|never|still|even though|although|ignores|ignored|fails?|failed|aborts?|refuses?|rejects|times? out|timed out|timeout|throws?|thrown|shows?|shown|displays|prints|printed|reads|says|said|appears?|renders|returns|answers?|stops?|closes? (?:itself|again|before)|resets?|jumps?|scrolls (?:away|back|up|to)|stays|stayed|remains|(?:sits|gets|goes|went) (?:at|on top|to|back|blank|from|below|away)|leads? to|links? to|points? to|redirects?|stores?|turns?|twice|two times|a second time|duplicated?|forever|grows?|leaks?|charges|charged|counts?|one too (?:many|few)|off by one|instead of|rather than|but not|only the|always|again and again|every time|swapped|inverted|mixed up|misspelled|typo|label is|value is|filled up|breaks?|eaten|contains?|comes?|keeps?|begins|has (?:no|two|the|an?|only|\\d)|blocked|blurr\\w+|opens|starts|ends|closes|removes|moves|goes|runs|accepts|retries|retried|sends|sent|arrives?|uses|takes|got (?:the|an?|my|only|back)|gives|gave|unreadable|readable|overflow\\w*|sticks out|wrong (?:results?|values?|numbers?|dates?|outputs?|place|order|way|page|unit|time|sum|total|version)|incorrect|trapped|too (?:small|large|big|long|short|dark|bright|late|early|wide|narrow|high|low|tiny)|illegible|contrast|rotated|misaligned|gap|flicker\\w*|two (?:cursors|copies)|not saved|killed|red|green`,
  vague:
    "useless|confusing|poor|not (?:good|stable|satisfied|happy)|problems?|slow\\w*|broken|bad|weird|strange|odd|wrong|problems?|issues?|bugs?|buggy|errors?|unstable|unreliable|not working|(?:does|do|did)(?:n[o'’]t| not) (?:really )?work|laggy|lag|terrible|looks? (?:bad|wrong|off)",
  did: `(?:when|if|whenever|while|once|as soon as|every time|each time) (?:i|you|we|a|an|the|one|somebody|someone|two|users?|people|there|nothing|exporting|importing|printing|editing|typing|opening|clicking)|click(?:s|ed|ing)?|tap(?:s|ped|ping)?|press(?:es|ed|ing)?|drag\\w*|hover\\w*|typ(?:e|ed|ing)|paste[ds]?|pasting|after (?:the |a |an )?\\w+|upload(?:ed|ing)?|import(?:ed|ing)?|export(?:ed|ing)?|print(?:ed|ing)|delet(?:ed|ing)|remov(?:ed|ing)|open(?:ed|ing)?|enter(?:ed|ing)|search(?:ed|ing)|sav(?:ed|ing)|sort(?:ed|ing)|add(?:ed|ing)|creat(?:e|ed|ing)|submit\\w*|scroll(?:ed|ing)?|select(?:ed|ing)?|set (?:a|the)|switch(?:ed|ing)?|turn(?:ed|ing)? (?:on|off)|running|ran|run|call(?:ed|ing)|upgrad\\w+|updat(?:ed|ing)|install(?:ed|ing)?|log(?:ged|ging)? in|sign(?:ed|ing)? in|since (?:the|v?\\d|version|yesterday|last)|with (?:the|a|an|\\d)|without|in (?:firefox|chrome|safari|edge|ie)|on (?:windows|mac|linux|android|ios|iphone|ipad|mobile|phones?|tablets?)|denied|deny|visiting|booking|made (?:a|an|at)`,
  part: `button|link|dropdown|drop-down|field|checkbox|input|menu|sidebar|toolbar|tool ?tip|dialog|modal|pop-?up|form|table|column|row|header|footer|icon|chart|legend|graph|cart|checkout|invoices?|orders?|login|password|avatar|profile|settings|preferences|export\\w*|import\\w*|csv|pdf|json|xml|search|filter|sort\\w*|calendar|picker|notifications?|e?mails?|newsletter|webhook|upload\\w*|attachments?|comments?|editor|map|video|keyboard|cursor|scroll ?bar|scroll position|session|cache|migration|config\\w*|readme|docs|api|endpoint|url|database|query|token|cookie|theme|dark mode|mode|flag|toggle|tab|window|screen|card|board|list|tree|title|label|heading|translation|locale|time ?zone|dates?|currency|price|total|tax|widget|preview|draft|password|account|role|permissions?|socket|proxy|server|client|process|thread|lock|job|queue|worker|scheduler|test|build|parser|compiler|installer|log|console|exit code|memory|cpu|files?|folder|path|image|photo|font|colou?rs?|layout|margin|padding|printing|report|qr code|ticket|bookings?|guest|message|chat|command|option|plugin|bar|box|infobox|star|key|ctrl|strg|shortcut|paragraph|text|symbol|menu item|app(?:lication)? closes|ride|sync|push|service|dns|domain|dashboard|(?<!\\b(?:the|a|this|that|your|whole|every|web|my|one|our|some) )pages?`,
};

const de: Lexicon = {
  common: 'der|die|das|und|ist|nicht|ein|eine|ich|wenn|auf|mit|den|dem|zu|es|aber|wird|nach|bei|im|von|für',
  seen: 'kommt|erscheint|bleibt|leer|fehlt|fehlen|verschwindet|stürzt ab|abgestürzt|hängt|friert|zeigt|angezeigt|steht|passiert nichts|nichts passiert|löscht|gelöscht|statt|obwohl|trotzdem|nicht mehr|kein(?:e|en)?|falsch(?:e|er|es)?|doppelt|erwartet|springt|überdeckt|abgeschnitten|verloren|meldung|meldet',
  vague: 'geht nicht|funktioniert nicht|kaputt|langsam|komisch|schlecht|problem|fehler',
  did: 'wenn ich|wenn man|klick\\w*|drück\\w*|eingeb\\w*|gebe|tippe|öffne|speicher\\w*|sobald|nach dem|beim|seit (?:dem|der|version)|mit \\d',
  part: 'seite|knopf|button|schaltfläche|feld|menü|liste|tabelle|spalte|rechnung\\w*|druckansicht|ansicht|fenster|dialog|formular|kalender|suche|filter|export\\w*|import\\w*|datei\\w*|bild|absatz|text|kunde\\w*|anmeldung|passwort|warenkorb|einstellungen|name\\w*|positionen|strg\\+',
};

const fr: Lexicon = {
  common: 'le|la|les|et|est|un|une|des|je|pas|que|qui|dans|sur|pour|avec|quand|mais|ne|de|du|ce|il|au',
  seen: "sans effet|faux|fausse|s['’]affiche\\w*|affiche\\w*|disparaît|disparait|vide|blanche?|plante|rien ne se passe|ne (?:font|fait|fonctionne\\w*|marche\\w*) (?:rien|pas|plus)|ne \\w+ (?:pas|plus|rien)|supprime|perdu\\w*|au lieu|erreur \\d+|se recharge|reste|mène\\w*|manque\\w*|bloqu\\w+|même|quand même|message",
  vague: 'ne va pas|marche pas|lent\\w*|nul|problème|bug|erreur',
  did: "quand je|lorsque|lorsqu['’]on|si je|cliqu\\w+|appuy\\w+|après|en (?:ouvrant|cliquant)|à l['’]ouverture|avec un",
  part: 'page|bouton\\w*|champ|menu|liste|tableau|fenêtre|formulaire|commande|facture|mot de passe|connexion|fichier|image|panier|recherche|calendrier|paramètres|mode',
};

const es: Lexicon = {
  common: 'el|la|los|las|y|es|un|una|que|no|de|en|con|por|para|se|al|del|pero|desde|mi|cuando',
  seen: 'aparece|muestra|desaparece|vací[ao]|en blanco|no se (?:guarda|ve|abre|muestra|carga)|no \\w+ nada|se (?:cierra|congela|pierde|borra)|falta|error \\d+|en vez de|en lugar de|queda|duplicad\\w+|perdid\\w+|salen?|antes que',
  vague: 'no funciona|lento|mal|problema|fallo|error',
  did: 'cuando|al (?:subir|abrir|hacer|pulsar|guardar|entrar|ordenar)|hago clic|pulso|si (?:abro|hago|escribo)|después de|con (?:fotos|un)',
  part: 'página|botón|campo|menú|lista|tabla|ventana|formulario|foto|archivo|pedido|factura|contraseña|carrito|búsqueda|calendario|móvil|pantalla|fecha|pedidos',
};

const pt: Lexicon = {
  common: 'o|os|as|e|é|um|uma|que|não|de|em|com|por|para|se|ao|do|da|mas|quando|dos|no|na|meu',
  seen: 'aparece|mostra|desaparece|fica|vazi[ao]|em branco|não \\w+|trava|fecha|perde|falta|erro \\d+|em vez de|esperava|duplicad\\w+',
  vague: 'não funciona|lento|ruim|problema|erro|bug',
  did: 'quando|ao (?:abrir|clicar|salvar|enviar)|clico|procuro|se (?:abro|clico)|depois de|com acento',
  part: 'página|botão|campo|menu|lista|tabela|janela|formulário|produto\\w*|arquivo|pedido|fatura|senha|carrinho|busca|calendário',
};

const it: Lexicon = {
  common: 'il|lo|la|i|gli|le|e|è|un|una|che|non|di|in|con|per|si|al|del|nel|ma|quando|ho|se',
  seen: 'appare|mostra|scompare|vuot[ao]|bianc[ao]|non (?:si|viene|trova|salva)\\b|si (?:blocca|chiude)|viene|manca|errore \\d+|invece|vedo|atteso|duplicat\\w+|pers[ao]|sbagliat[ao]',
  vague: 'non funziona|lento|male|problema|errore',
  did: 'quando|se (?:aggiungo|apro|clicco|premo)|aggiungo|clicco|premo|dopo|aprendo',
  part: 'pagina|pulsante|campo|menu|lista|tabella|finestra|modulo|carrello|articolo|file|ordine|fattura|password|ricerca|calendario|totale',
};

const ru: Lexicon = {
  common: 'и|в|не|на|что|я|с|по|это|как|но|при|если|после|у|за|из|к',
  seen: 'пуст\\S*|не (?:сохраня\\S+|открыва\\S+|отобража\\S+|работает \\S+|загружа\\S+|появля\\S+|удаля\\S+)|исчеза\\S+|пропада\\S+|пропал\\S*|зависа\\S+|вылета\\S+|падает|показыва\\S+|ошибка \\d+|вместо|хотя|остаётся|сообщение',
  vague: 'не работает|медленно|плохо|проблема|ошибка',
  did: 'когда|если|открыва\\S+|нажима\\S+|закрыва\\S+|набира\\S+|после|при (?:нажатии|открытии|сохранении)',
  part: 'страниц\\S+|кнопк\\S+|пол[ея]|меню|спис\\S+|окн\\S+|форм\\S+|вкладк\\S+|черновик\\S*|письм\\S+|файл\\S*|заказ\\S*|корзин\\S+|парол\\S+|поиск\\S*',
};

const zh: Lexicon = {
  common: '的|了|是|不|在|有|和|我|就|都|但|后|没',
  seen: '打不开|无法|不能|没有反应|没反应|空白|消失|丢失|显示|提示|损坏|崩溃|闪退|卡死|报错|失败|不显示|变成|重复|仍然|还是',
  vague: '不好用|有问题|很慢|问题|错误',
  did: '点击|打开|下载|安装|升级|更新|输入|保存|之后|后|当|如果|版本?',
  part: '按钮|页面|文件|菜单|列表|窗口|图片|导出|导入|登录|密码|搜索|设置|版本?|软件|excel|csv|日历|订单',
};

const ja: Lexicon = {
  common: 'の|は|が|を|に|で|と|も|ます|です|ません|した|して',
  seen: '反応しない|起きません|表示され|消え|空白|真っ白|戻り|戻る|できない|できません|落ちる|固まる|エラー|失敗|なりません|ならない|されません|されない',
  vague: '動かない|遅い|おかしい|問題|不具合',
  did: '押し|クリック|開く|開い|変更し|入力|保存|アップロード|すると|したら|とき|後に|再読み込み',
  part: 'ボタン|画面|ページ|メニュー|一覧|ファイル|ダイアログ|フォーム|日付|予約|検索|設定|ログイン|パスワード|画像',
};

export const LEXICONS = { en, de, fr, es, pt, it, ru, zh, ja } as const;
export type Language = keyof typeof LEXICONS;
