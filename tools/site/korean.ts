import { koreanSidebar } from "./pages";

// The words of the site around its Korean pages.

export const koreanDescription = "Pulumi 컴포넌트, 실습 스택, 정책 팩으로 만드는 Amazon EKS의 GPU 실습 환경";

export const koreanTheme = {
  nav: [
    { text: "실습", link: "/ko/labs/", activeMatch: "^/ko/labs/" },
    { text: "영어 문서", link: "/getting-started" },
  ],
  sidebar: koreanSidebar(),
  outline: { level: [2, 3] as [number, number], label: "이 페이지의 내용" },
  docFooter: { prev: "이전 페이지", next: "다음 페이지" },
  sidebarMenuLabel: "메뉴",
  returnToTopLabel: "맨 위로",
  langMenuLabel: "언어 변경",
  notFound: {
    title: "페이지가 없습니다",
    quote: "주소가 바뀌었을 수 있습니다. 검색하거나 다음 페이지 중 하나를 여십시오.",
    links: [
      { text: "첫 페이지", link: "/ko/" },
      { text: "실습", link: "/ko/labs/" },
      { text: "영어 문서", link: "/" },
    ],
  },
  skipToContentLabel: "본문으로 건너뛰기",
  darkModeSwitchLabel: "화면 모드",
};

export const koreanSearch = {
  button: { buttonText: "검색", buttonAriaLabel: "검색" },
  modal: {
    noResultsText: "한국어 문서에 결과가 없습니다. 영어 문서에서 검색해 보세요:",
    footer: { selectText: "선택", navigateText: "이동", closeText: "닫기" },
  },
};
